import Turret

/// A sender's bytes that go to the board as they are, and what they leave behind in its sketch.
struct RawBytes: Hashable, Sendable {
  /// So many wait at most before the sender is held.
  static let countMax = 65_536

  private var waiting: [UInt8] = []
  private let firmware: Firmware
  /// The meaning of what was passed on; nil: nobody asks for it.
  private var parser: CommandParser?

  /// `followsMeaning`: whether a command of the bench's own may come after them.
  init(for firmware: Firmware, followsMeaning: Bool) {
    self.firmware = firmware
    parser = followsMeaning ? CommandParser(for: firmware) : nil
  }

  var isEmpty: Bool { waiting.isEmpty }
  /// Whether the sender is to be held, and whether it can be let go.
  var isFull: Bool { waiting.count >= Self.countMax }
  var isLow: Bool { waiting.count < Self.countMax / 2 }

  mutating func put(_ bytes: [UInt8]) {
    if waiting.isEmpty { waiting = bytes } else { waiting += bytes }
  }

  /// What goes next, `room` at most; nil: nothing.
  mutating func next(room: Int) -> [UInt8]? {
    guard !waiting.isEmpty, room > 0 else { return nil }
    let bytes: [UInt8]
    if waiting.count <= room {
      bytes = waiting
      waiting = []
    } else {
      bytes = Array(waiting.prefix(room))
      waiting.removeFirst(room)
    }
    _ = parser?.take(bytes)
    return bytes
  }

  /// A whole command as it must be sent after them.
  mutating func next(command: [UInt8]) -> [UInt8] {
    // A number that was begun takes one byte with it; this one it may have.
    let bytes = parser?.isOpen == true ? [command[0]] + command : command
    _ = parser?.take(bytes)
    return bytes
  }

  /// The board is gone, and with it what waits.
  mutating func removeAll() { waiting = [] }

  /// The board begins anew.
  mutating func restart() { if parser != nil { parser = CommandParser(for: firmware) } }
}
