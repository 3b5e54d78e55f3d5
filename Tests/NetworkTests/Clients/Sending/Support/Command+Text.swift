import Network
import Sketches

extension Command {
  /// A command as tests write it: `X90.`, `L`, `T`.
  init(text: String) {
    var parser = CommandParser(for: .guarded)
    guard case .command(let command) = parser.take(text.utf8).first else {
      preconditionFailure("\(text) is not a command")
    }
    self = command
  }
}
