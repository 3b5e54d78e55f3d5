import Sketches

/// Assembles a board's bytes into lines, so that a client gets an answer as one message.
struct ReplyLines: Hashable, Sendable {
  /// A longer line is sent in pieces.
  private static let bytesMax = 256
  /// An unfinished line is passed on if nothing has followed for this long.
  private static let patience = Interval.milliseconds(50)

  private var begun: [UInt8] = []
  /// When the unfinished line is passed on; nil if there is none.
  private(set) var deadline: Instant?

  /// Takes bytes, and returns the lines that they complete, including line feeds.
  mutating func take(_ bytes: [UInt8], at time: Instant) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for byte in bytes {
      begun.append(byte)
      if byte == UInt8(ascii: "\n") || begun.count == Self.bytesMax {
        lines.append(begun)
        begun = []
      }
    }
    deadline = begun.isEmpty ? nil : time + Self.patience
    return lines
  }

  /// Removes and returns a line that has waited too long for its end.
  mutating func takeOverdue(at time: Instant) -> [UInt8]? {
    guard let deadline, deadline <= time else { return nil }
    defer { begun = [] }
    self.deadline = nil
    return begun
  }
}
