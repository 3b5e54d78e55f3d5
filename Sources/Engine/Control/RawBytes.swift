import Sketches

/// A sender's bytes that are passed to the board unchanged, and the state in which they leave its
/// sketch.
struct RawBytes: Hashable, Sendable {
  /// How many can wait before the sender is held.
  static let countMax = 65_536
  /// Larger amounts are not sent in pieces smaller than this. A full line frees its room byte by
  /// byte, and each piece becomes an event of the session.
  static let pieceMin = 4_096

  /// How long the bytes of a client that has left can wait for the line: as long as Linux waits for
  /// a serial port that is being closed (`closing_wait` of setserial(8)).
  static let leftTime = Interval.seconds(30)

  private var bytes: [UInt8] = []
  /// How many of them have been sent.
  private var sent = 0
  /// How many of the waiting ones are of clients that have left; they come first.
  private(set) var leftCount = 0
  private let settings: ArbiterSettings
  /// Parses the bytes passed on; nil if nothing depends on their meaning.
  private var parser: CommandParser?

  init(_ settings: ArbiterSettings) {
    self.settings = settings
    // One of the bench's own commands can follow them.
    if settings.disconnectCommand != nil { parser = settings.makeParser() }
  }

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }
  /// The bytes that have not been sent.
  var waiting: [UInt8] { Array(bytes[sent...]) }
  /// Whether the sender must be held, and whether it can be resumed.
  var isFull: Bool { count >= Self.countMax }
  var isLow: Bool { count < Self.countMax / 2 }

  mutating func put(_ more: [UInt8]) {
    if isEmpty {
      bytes = more
    } else {
      bytes.removeFirst(sent)
      bytes += more
    }
    sent = 0
  }

  /// The next bytes, at most `room`; nil if there are none, or too little room.
  mutating func next(room: Int) -> [UInt8]? {
    guard !isEmpty, room >= min(count, Self.pieceMin) else { return nil }
    let next = sent == 0 && count <= room ? bytes : Array(bytes[sent...].prefix(room))
    sent += next.count
    leftCount = max(leftCount - next.count, 0)
    if isEmpty { removeAll() }
    _ = parser?.take(next)
    return next
  }

  /// The bytes to send so that the board receives a complete command after the raw bytes.
  mutating func next(command: [UInt8]) -> [UInt8] {
    // An unfinished number swallows one byte, so an extra first byte is sent for it. A command of
    // another profile is ended by the byte that ends commands, or by the pause before this one.
    let profile = settings.profile
    let end = profile == nil ? command.first : profile?.pauseMax == nil ? command.last : nil
    let bytes = parser?.isOpen == true ? (end.map { [$0] } ?? []) + command : command
    _ = parser?.take(bytes)
    return bytes
  }

  /// The board is disconnected, so the waiting bytes are lost.
  mutating func removeAll() {
    bytes = []
    sent = 0
    leftCount = 0
  }

  /// The clients that sent the waiting bytes have left.
  mutating func leave() { leftCount = count }

  /// Removes and returns the bytes of clients that have left.
  mutating func removeLeft() -> [UInt8] {
    let left = Array(bytes[sent...].prefix(leftCount))
    sent += leftCount
    leftCount = 0
    if isEmpty { removeAll() }
    return left
  }

  /// The board has restarted.
  mutating func restart() { if parser != nil { parser = settings.makeParser() } }
}
