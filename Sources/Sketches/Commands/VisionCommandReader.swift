/// Finds the commands `VISION` and `SHUTDOWN` for a robot vision phone in received data, with or
/// without line ends, however the data is split.
///
/// They are recognized only until anything else has been received, because the words could be in
/// the body of a web page's request.
package struct VisionCommandReader {
  package enum Command: String, CaseIterable {
    case vision = "VISION"
    case shutdown = "SHUTDOWN"

    fileprivate var bytes: [UInt8] { Array(rawValue.utf8) }
  }

  private let readsLines: Bool
  /// The beginning of a command. At the end of `receive` it is shorter than a command.
  private var unread: [UInt8] = []
  /// Whether data other than a command or a line end was received. No command follows.
  package private(set) var isSpoiled = false

  /// - Parameter readsLines: whether a command is valid only with the end of its line.
  package init(readsLines: Bool) { self.readsLines = readsLines }

  package mutating func receive(_ bytes: some Sequence<UInt8>) -> [Command] {
    var commands: [Command] = []
    for byte in bytes where !isSpoiled {
      unread.append(byte)
      while !unread.isEmpty, let taken = take(into: &commands) { unread.removeFirst(taken) }
    }
    return commands
  }

  /// How many bytes are finished; nil if more are needed.
  private mutating func take(into commands: inout [Command]) -> Int? {
    if unread[0] == 0x0A || unread[0] == 0x0D { return 1 }
    for command in Command.allCases {
      let whole = command.bytes
      if unread.starts(with: whole) {
        if readsLines, unread.count == whole.count { return nil }
        commands.append(command)
        return whole.count
      }
      if whole.starts(with: unread) { return nil }
    }
    isSpoiled = true
    return unread.count
  }
}
