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
    /// Another client controls the turret.
    case notInControl = "not-in-control"
    /// Too many commands were waiting for the line.
    case queueFull = "queue-full"
    /// The board was disconnected.
    case noBoard = "no-board"
    /// The bench had begun to stop.
    case leaving
    /// It waited for the line for more than 1 s, and no newer command can replace it.
    case late

    /// Whether a live session must have the same refusal as its trace. How many commands are
    /// replaced or merged depends on the sender's timing, so these are only counted.
    package var isJudged: Bool { self != .replaced && self != .merged }

    /// The reason in words.
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

  /// The maximum number of bytes that are kept.
  package static let bytesMax = 256
  fileprivate static let kind = "\"x-refused\""

  /// The first bytes.
  package private(set) var bytes: [UInt8]
  /// The total number of bytes.
  package private(set) var count: Int
  package var why: Why

  /// `count` is the total number of bytes; nil if `bytes` are all of them.
  package init(_ bytes: [UInt8], count: Int? = nil, why: Why) {
    self.bytes = Array(bytes.prefix(Self.bytesMax))
    self.count = max(count ?? 0, bytes.count)
    self.why = why
  }

  /// Appends the bytes of a later message.
  package mutating func absorb(_ other: RefusedMessage) {
    // Bytes after a gap would seem to follow directly.
    if bytes.count == count { bytes += other.bytes.prefix(Self.bytesMax - bytes.count) }
    count += other.count
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

extension RefusedMessage {
  /// Reads an event. Nil if it is of another kind. The error's offset is counted from the event's
  /// kind, in canonical form.
  package init?(_ event: Event) throws(LineScanner.Failure) {
    guard case .other(let text) = event.kind, text.hasPrefix(Self.kind) else { return nil }
    let result = Array(text.utf8).withUnsafeBytes {
      line -> Result<RefusedMessage, LineScanner.Failure> in
      do throws(LineScanner.Failure) {
        var scanner = LineScanner(line)
        return .success(try RefusedMessage(&scanner))
      } catch {
        return .failure(error)
      }
    }
    self = try result.get()
  }

  private init(_ scanner: inout LineScanner) throws(LineScanner.Failure) {
    _ = try scanner.takeText("the kind of event in quotes")
    try scanner.take(",", "',' and the refused bytes")
    let bytes = try scanner.takeBytes("bytes in quotes")
    try scanner.take(",", "',' and the reason of the refusal")
    scanner.skipSpace()
    let offset = scanner.position
    let word = try scanner.takeText("the reason of the refusal in quotes")
    guard let why = Why.allCases.first(where: { $0.rawValue == word }) else {
      let all = Why.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw LineScanner.Failure(
        offset: offset, message: "expected one of \(all), found \(PlainText.quoted(word))")
    }
    var count: Int64?
    if scanner.takeIf(",") { count = try scanner.takeWhole("the number of bytes", limit: 1 << 31) }
    try scanner.takeEnd()
    self.init(bytes, count: count.flatMap { Int(exactly: $0) }, why: why)
  }
}

extension Event.Kind {
  /// Returns an event for what a network client sent and the bench refused.
  package static func refused(_ message: RefusedMessage) -> Event.Kind {
    var text: [UInt8] = []
    text.append("\(RefusedMessage.kind), ")
    text.appendQuoted(bytes: message.bytes)
    text.append(", \"\(message.why.rawValue)\"")
    if message.count > message.bytes.count {
      text.append(", ")
      text.append(Int64(message.count))
    }
    return .other(String(decoding: text, as: UTF8.self))
  }
}
