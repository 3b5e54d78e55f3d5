package import Turret

/// Finds the lines that guarded writes after `V` among the bytes of a board, however they are cut:
/// eight hexadecimal digits of microseconds, two of degrees, LF.
package struct TelemetryScanner: Hashable, Sendable {
  package struct Stamped: Hashable, Sendable {
    package var byte: UInt8
    /// The end of its stop bit, as near as the computer knows.
    package var arrival: Instant
  }

  package enum Item: Hashable, Sendable {
    /// A servo write, and the eleven bytes that told of it.
    case write(microseconds: UInt32, degrees: UInt8, line: [Stamped])
    /// A byte that belongs to no such line.
    case other(Stamped)
  }

  /// Bytes in a line, LF included.
  package static let lineLength = 11
  /// How long the rest of a line may let wait for itself.
  private static let patience = Interval.milliseconds(100)

  /// What has come of a line that may be one of ours.
  private var held: [Stamped] = []
  /// Inside a line that is none.
  private var isInOther = false

  package init() {}

  package mutating func take(
    _ byte: UInt8, at arrival: Instant, _ emit: (Item) -> Void
  ) {
    let stamped = Stamped(byte: byte, arrival: arrival)
    let isEnd = byte == UInt8(ascii: "\n")
    if isInOther {
      isInOther = !isEnd
      return emit(.other(stamped))
    }
    held.append(stamped)
    if isEnd, held.count == Self.lineLength, let write = write() {
      held = []
      return emit(write)
    }
    if held.count < Self.lineLength, Self.digit(byte) != nil { return }
    isInOther = !isEnd
    release(emit)
  }

  /// Lets go of a line whose rest does not come.
  package mutating func expire(at now: Instant, _ emit: (Item) -> Void) {
    guard let last = held.last, now - last.arrival > Self.patience else { return }
    release(emit)
  }

  private mutating func release(_ emit: (Item) -> Void) {
    for stamped in held { emit(.other(stamped)) }
    held = []
  }

  private func write() -> Item? {
    var value: UInt64 = 0
    for stamped in held.dropLast() {
      guard let digit = Self.digit(stamped.byte) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    let degrees = UInt8(truncatingIfNeeded: value)
    guard degrees <= 180 else { return nil }
    return .write(
      microseconds: UInt32(truncatingIfNeeded: value >> 8), degrees: degrees, line: held)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}
