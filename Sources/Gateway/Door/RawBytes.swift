import Turret

/// A sender's bytes that go to the board as they are, and what they leave behind in its sketch.
struct RawBytes: Hashable, Sendable {
  /// So many wait at most before the sender is held.
  static let countMax = 65_536
  /// More than this does not go in smaller pieces. A full line makes room for one byte after the other,
  /// and each piece is an event of the session.
  static let pieceMin = 4_096

  private var bytes: [UInt8] = []
  /// How many of them have gone.
  private var sent = 0
  private let firmware: Firmware
  /// The meaning of what was passed on; nil: nobody asks for it.
  private var parser: CommandParser?

  /// `followsMeaning`: whether a command of the bench's own may come after them.
  init(for firmware: Firmware, followsMeaning: Bool) {
    self.firmware = firmware
    parser = followsMeaning ? CommandParser(for: firmware) : nil
  }

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }
  /// Whether the sender is to be held, and whether it can be let go.
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

  /// What goes next, `room` at most; nil: nothing, or there is too little room yet.
  mutating func next(room: Int) -> [UInt8]? {
    guard !isEmpty, room >= min(count, Self.pieceMin) else { return nil }
    let next = sent == 0 && count <= room ? bytes : Array(bytes[sent...].prefix(room))
    sent += next.count
    if isEmpty { removeAll() }
    _ = parser?.take(next)
    return next
  }

  /// A whole command as it must be sent after them.
  mutating func next(command: [UInt8]) -> [UInt8] {
    // A number that was begun takes one byte with it; this one it may have.
    let bytes = parser?.isOpen == true ? [command[0]] + command : command
    _ = parser?.take(bytes)
    return bytes
  }

  /// The board is gone, and with it what waits.
  mutating func removeAll() {
    bytes = []
    sent = 0
  }

  /// The board begins anew.
  mutating func restart() { if parser != nil { parser = CommandParser(for: firmware) } }
}
