import ArgumentParser
import Turret

/// A pin and its level, such as `D2=1`.
struct LevelArgument {
  var input: BoardInput

  init(_ argument: String) throws {
    let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 2, let pin = BoardPin(name: String(parts[0])), pin.arduino != nil,
      let isHigh = ["0": false, "1": true][parts[1]]
    else {
      throw ValidationError(
        "--set requires a pin of the board and 0 or 1, for example D2=1, found \"\(argument)\".")
    }
    input = .level(pin, isHigh)
  }
}
