/// What a network client sent and the bench refused: an `x-refused` event.
///
///     [2.100000, "x-refused", "hello", "not-a-command"]
///
/// Only the first `bytesMax` bytes are kept. If there were more, the total number follows the
/// reason.
package struct RefusedMessage: Hashable, Sendable {
  /// Why it did not reach the board as it was sent. The raw value is the one in a trace.
  package enum Why: String, Hashable, Sendable, CaseIterable {
    case notACommand = "not-a-command"
    /// An aim at more than 180 degrees.
    case outOfRange = "out-of-range"
    /// A newer aim replaced it before it was sent.
    case replaced
    /// It was merged with the `L` before it.
    case merged
    case notInControl = "not-in-control"
    case queueFull = "queue-full"
    case noBoard = "no-board"
    /// The bench had begun to stop.
    case leaving
    /// It waited for the line for more than 1 s, and no newer command can replace it.
    case late

    /// Whether a live session must have the same refusal as its trace. How many commands are
    /// replaced or merged depends on the sender's timing, so these are only counted.
    package var isJudged: Bool { self != .replaced && self != .merged }

    package var text: String {
      switch self {
      case .notACommand: "not a command"
      case .outOfRange: "out of range"
      case .replaced: "replaced by a newer aim"
      case .merged: "merged with the L before it"
      case .notInControl: "from a client not in control"
      case .queueFull: "the queue was full"
      case .noBoard: "the board was disconnected"
      case .leaving: "the bench was stopping"
      case .late: "late by more than 1 s"
      }
    }
  }

  package static let bytesMax = 256

  /// The first bytes.
  package let bytes: [UInt8]
  /// The total number of bytes.
  package let count: Int
  package let why: Why

  /// `count` is the total number of bytes; nil if `bytes` are all of them.
  package init(_ bytes: [UInt8], count: Int? = nil, why: Why) {
    self.bytes = Array(bytes.prefix(Self.bytesMax))
    self.count = max(count ?? 0, bytes.count)
    self.why = why
  }

  package mutating func absorb(_ other: RefusedMessage) {
    // Bytes after a gap would seem to follow directly.
    let joined = bytes.count == count ? bytes + other.bytes : bytes
    self = RefusedMessage(joined, count: count + other.count, why: why)
  }

  /// The message in words: its bytes, and the reason.
  package var text: String {
    var quoted: [UInt8] = []
    quoted.appendQuoted(bytes: bytes)
    if bytes.count < count {
      quoted.removeLast()
      quoted.append("...\"")
    }
    return String(decoding: quoted, as: UTF8.self) + " (\(why.text))"
  }
}

// MARK: - The event

extension [UInt8] {
  mutating func append(_ message: RefusedMessage) {
    appendQuoted(bytes: message.bytes)
    append(", ")
    appendQuoted(message.why.rawValue)
    guard message.count > message.bytes.count else { return }
    append(", ")
    append(Int64(message.count))
  }
}

extension LineScanner {
  mutating func takeRefusal() throws(Failure) -> RefusedMessage {
    let bytes = try takeBytes("bytes in quotes")
    try take(",", "',' and the reason of the refusal")
    let why = try takeWord(
      "the reason of the refusal in quotes", of: RefusedMessage.Why.self, "one of ")
    let count = takeIf(",") ? try takeCount("the number of bytes") : nil
    return RefusedMessage(bytes, count: count.map { Int(clamping: $0) }, why: why)
  }

  /// Takes a whole number up to 2^31, in any form of a JSON number.
  mutating func takeCount(_ what: StaticString) throws(Failure) -> UInt32 {
    skipSpace()
    let offset = position
    guard let count = UInt32(exactly: try takeDecimal(what, limit: 0x1p31)) else {
      throw Failure(offset: offset, message: "expected a whole number")
    }
    return count
  }
}
