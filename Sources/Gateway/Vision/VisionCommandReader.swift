/// Finds the commands to a robot vision phone in what comes in, in however many pieces: `VISION` and
/// `SHUTDOWN`, with or without an end of line.
///
/// They count only while nothing else has come: the words could also be in the body of a web page's
/// request.
struct VisionCommandReader {
  enum Command: String, CaseIterable {
    case vision = "VISION"
    case shutdown = "SHUTDOWN"

    fileprivate var word: [UInt8] { Array(rawValue.utf8) }
  }

  private let readsLines: Bool
  /// The beginning of a command, and less than that at each end of `receive`.
  private var unread: [UInt8] = []
  /// Whether something came that is neither a command nor a line end. No command follows.
  private(set) var isSpoiled = false

  /// - Parameter readsLines: whether a command is one only with the end of its line.
  init(readsLines: Bool) { self.readsLines = readsLines }

  mutating func receive(_ bytes: some Sequence<UInt8>) -> [Command] {
    var commands: [Command] = []
    for byte in bytes where !isSpoiled {
      unread.append(byte)
      while !unread.isEmpty, let taken = take(into: &commands) { unread.removeFirst(taken) }
    }
    return commands
  }

  /// How many bytes are done with; nil: more are needed.
  private mutating func take(into commands: inout [Command]) -> Int? {
    if unread[0] == 0x0A || unread[0] == 0x0D { return 1 }
    for command in Command.allCases {
      let word = command.word
      if unread.starts(with: word) {
        if readsLines, unread.count == word.count { return nil }
        commands.append(command)
        return word.count
      }
      if word.starts(with: unread) { return nil }
    }
    isSpoiled = true
    return unread.count
  }
}
