/// Finds the phone's commands in what comes in, in however many pieces: `VISION` and `SHUTDOWN`, with
/// or without an end of line.
struct VisionCommandReader {
  enum Command: String, CaseIterable {
    case vision = "VISION"
    case shutdown = "SHUTDOWN"
  }

  private let readsLines: Bool
  private var unread: [UInt8] = []
  /// Bytes that belonged to no command, line ends aside.
  private(set) var junkBytes = 0

  init(readsLines: Bool) { self.readsLines = readsLines }

  mutating func receive(_ bytes: some Sequence<UInt8>) -> [Command] {
    unread += bytes
    var commands: [Command] = []
    scan: while let first = unread.first {
      if first == 0x0A || first == 0x0D {
        unread.removeFirst()
        continue
      }
      for command in Command.allCases {
        let word = Array(command.rawValue.utf8)
        if unread.starts(with: word) {
          if readsLines, unread.count == word.count { break scan }
          unread.removeFirst(word.count)
          commands.append(command)
          continue scan
        }
        if word.starts(with: unread) { break scan }
      }
      junkBytes += 1
      unread.removeFirst()
    }
    return commands
  }
}
