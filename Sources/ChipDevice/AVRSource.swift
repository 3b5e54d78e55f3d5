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
  package var showsStores: Bool { !program.findsServosByPulses }
  package func findSpeed() -> Int? { program.findSpeed() }
  package func findFormat() -> LineFormat { program.findFormat() }

  package func observes(_ firmware: Firmware) -> Set<Output.Kind> { AVRProgram.observes }

  package func makeDevice(for header: Header, firmware: Firmware, showsPulses: Bool) -> AVRDevice {
    var device = AVRDevice(
      program, for: header, showsPulses: showsPulses, skipsWaiting: skipsWaiting)
    device.watch(pins)
    return device
  }
}
