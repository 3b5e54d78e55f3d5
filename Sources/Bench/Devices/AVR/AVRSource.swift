package import Traces
package import Turret

/// Emulated Arduino Unos with a program on them.
package struct AVRSource: DeviceSource {
  private let program: AVRProgram

  package init(_ program: AVRProgram) { self.program = program }

  package var name: String { "avr" }
  package var sessionCountMax: Int? { nil }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { program.observes }

  package func makeDevice(
    for header: Header, firmware: Firmware, showsPulses: Bool
  ) -> any Device {
    AVRDevice(program, for: header, showsPulses: showsPulses)
  }

  package func restore(
    _ state: StateFile, showsPulses: Bool
  ) throws(TraceError) -> (any Device)? {
    try state.restore(
      as: AVRDevice.self, showsPulses: showsPulses, in: [AVRDevice.programKey: program])
  }
}
