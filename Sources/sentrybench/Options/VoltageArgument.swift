import ArgumentParser
import Traces
import Turret

/// A pin and its voltage, such as `A0=2.5V`.
struct VoltageArgument {
  var input: BoardInput

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let pin = BoardPin(analogName: String(parts[0])),
      parts[1].hasSuffix("V"), let microvolts = BoardInput.microvolts(String(parts[1].dropLast()))
    else {
      throw ValidationError(
        "--analog requires a pin of the board and volts from 0 to 5, for example A0=2.5V, found "
          + "\"\(argument)\".")
    }
    input = .voltage(pin, microvolts: microvolts)
  }
}
