package import Traces
package import Turret

/// Emulated Arduino Unos with a program on them.
package struct AVRSource: DeviceSource {
  private let program: AVRProgram

  private let skipsWaiting: Bool

  /// `skipsWaiting`: what the program does while it only waits is not executed, which makes no
  /// difference but to the time it takes.
  package init(_ program: AVRProgram, skipsWaiting: Bool = true) {
    self.program = program
    self.skipsWaiting = skipsWaiting
  }

  package var name: String { "avr" }
  package var sessionCountMax: Int? { nil }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { program.observes }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    AVRDevice(program, for: header, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
  }

  package func restore(
    _ state: StateFile, showsPulses: Bool
  ) throws(TraceError) -> (any Device)? {
    try state.restore(
      as: AVRDevice.self, showsPulses: showsPulses, in: [AVRDevice.programKey: program])
  }
}
