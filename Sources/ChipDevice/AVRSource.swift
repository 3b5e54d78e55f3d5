import Devices
package import Traces
package import Turret

/// Creates emulated Arduino Unos that run a program.
package struct AVRSource: DeviceSource {
  package let program: AVRProgram
  private let skipsWaiting: Bool

  /// `skipsWaiting` skips idle waiting, which changes nothing but the running time.
  package init(_ program: AVRProgram, skipsWaiting: Bool = true) {
    self.program = program
    self.skipsWaiting = skipsWaiting
  }

  package var name: String { "avr" }
  package var runsAnyProgram: Bool { true }
  package var programFile: String? { program.name }
  package var inputs: [BoardInput] { program.wiring.inputs }
  package var pins: PinSelection { program.wiring.pins }
  package var isRestless: Bool { program.isRestless }
  package var showsStores: Bool { !program.findsServosByPulses }
  /// Software that samples a pin has no speed or format that could be found.
  package func findSpeed() -> Int? { program.receivePin == nil ? program.findSpeed() : nil }
  package func findFormat() -> LineFormat {
    program.receivePin == nil ? program.findFormat() : .standard
  }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { AVRProgram.observes }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> AVRDevice {
    var device = AVRDevice(
      program, for: header, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
    device.watch(pins)
    return device
  }
}
