import Sketches

extension Parsed {
  var command: Command? {
    if case .command(let command) = self { return command }
    return nil
  }

  var refusal: Refusal? {
    if case .refused(let refusal) = self { return refusal }
    return nil
  }

  /// A command as its bytes, a refusal as `why:bytes`.
  var word: String {
    switch self {
    case .command(let command): String(decoding: command.bytes, as: UTF8.self)
    case .refused(let refusal): "\(refusal.why.rawValue):\(refusal.text)"
    }
  }
}
