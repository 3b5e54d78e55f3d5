package import Traces
package import Turret

/// Creates emulated Arduino Unos that run a program.
package struct AVRSource: DeviceSource {
  package let program: AVRProgram
  package let inputs: [BoardInput]

  private let skipsWaiting: Bool

  /// `inputs` is applied to the pins before the board starts. `skipsWaiting` skips idle waiting, which changes nothing but the running time.
  package init(_ program: AVRProgram, inputs: [BoardInput] = [], skipsWaiting: Bool = true) {
    self.program = program
    self.inputs = inputs
    self.skipsWaiting = skipsWaiting
  }

  package var name: String { "avr" }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { program.observes }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> AVRDevice {
    AVRDevice(
      program, for: header, inputs: inputs, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
  }
}
