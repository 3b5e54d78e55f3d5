import Sketches

/// Finds the lines that guarded writes after `V` among a board's bytes, however they are split:
/// eight hexadecimal digits of microseconds, two of degrees, LF.
struct TelemetryScanner: Hashable, Sendable {
  struct Stamped: Hashable, Sendable {
    var byte: UInt8
    /// The end of its stop bit, as accurately as the computer can tell.
    var arrival: Instant
  }

  enum Item: Hashable, Sendable {
    /// A servo write, and the eleven bytes that reported it.
    case write(microseconds: UInt32, degrees: UInt8, line: [Stamped])
    /// A byte that is not part of such a line.
    case other(Stamped)
  }

  /// The number of bytes in a line, including LF.
  static let lineLength = 11
  /// How long the rest of a line can take to arrive.
  private static let restTime = Interval.milliseconds(100)

  /// The bytes received so far of what can still become a telemetry line.
  private var held: [Stamped] = []
  /// Whether the current line is known not to be a telemetry line.
  private var isInOther = false

  /// Takes the next byte. Returns what it completes.
  mutating func take(_ byte: UInt8, at arrival: Instant) -> [Item] {
    let stamped = Stamped(byte: byte, arrival: arrival)
    let isEnd = byte == UInt8(ascii: "\n")
    if isInOther {
      isInOther = !isEnd
      return [.other(stamped)]
    }
    held.append(stamped)
    if isEnd, held.count == Self.lineLength, let write = write() {
      held = []
      return [write]
    }
    if held.count < Self.lineLength, Self.digit(byte) != nil { return [] }
    isInOther = !isEnd
    return release()
  }

  /// Releases an incomplete line whose rest does not arrive.
  mutating func expire(at now: Instant) -> [Item] {
    guard let last = held.last, now - last.arrival > Self.restTime else { return [] }
    return release()
  }

  private mutating func release() -> [Item] {
    defer { held = [] }
    return held.map { .other($0) }
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
