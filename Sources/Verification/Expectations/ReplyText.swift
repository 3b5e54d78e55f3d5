import Turret

/// A board's answers as lines of text.
struct ReplyText: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    /// Without CR and LF; at most `lengthMax` bytes.
    var text: [UInt8]
    /// When its last byte began.
    var time: Instant
  }

  /// A line without LF is over after this time.
  static let silence = CommandSplitter.silence
  static let lengthMax = 1_024

  private(set) var lines: [Line] = []
  private var open: Line?

  mutating func take(_ byte: UInt8, at instant: Instant) {
    pass(to: instant)
    var line = open ?? Line(text: [], time: instant)
    line.time = instant
    open = line
    if byte == 0x0A { return finish() }
    if line.text.count < Self.lengthMax { open?.text.append(byte) }
  }

  /// When the open line is over unless it continues; nil if there is none.
  var deadline: Instant? { open.map { $0.time + Self.silence } }

  /// Whether a line is open that can still turn out to have ended by an instant.
  func isOpen(by instant: Instant) -> Bool { open.map { $0.time <= instant } ?? false }

  /// Notes that no byte has begun before `instant`.
  mutating func pass(to instant: Instant) {
    if let open, instant - open.time >= Self.silence { finish() }
  }

  /// Notes that no more bytes follow.
  mutating func finish() {
    guard var line = open else { return }
    if line.text.last == 0x0D { line.text.removeLast() }
    lines.append(line)
    open = nil
  }
}
