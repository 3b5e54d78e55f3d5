package import Traces
package import Turret

/// Creates emulated Arduino Unos that run a program.
package struct AVRSource: DeviceSource {
  package let program: AVRProgram
  package let inputs: [BoardInput]

  private let skipsWaiting: Bool
  package let pins: PinSelection

  /// `inputs` is applied to the pins before the board starts. `skipsWaiting` skips idle waiting,
  /// which changes nothing but the running time. The devices report the levels of `pins`.
  package init(
    _ program: AVRProgram, inputs: [BoardInput] = [], skipsWaiting: Bool = true,
    pins: PinSelection = .some([])
  ) {
    self.program = program
    self.inputs = inputs
    self.skipsWaiting = skipsWaiting
    self.pins = pins
  }

  package var name: String { "avr" }
  package var runsAnyProgram: Bool { true }
  package var showsStores: Bool { !program.findsServosByPulses }
  package func findSpeed() -> Int? { program.findSpeed() }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { AVRProgram.observes }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> AVRDevice {
    var device = AVRDevice(
      program, for: header, inputs: inputs, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
    device.watch(pins)
    return device
  }
}
