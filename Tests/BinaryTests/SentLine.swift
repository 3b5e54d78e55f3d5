import Sketches

/// A line that the board sent.
struct SentLine {
  static let end = UInt8(ascii: "\n")
  private static let clockDigits = 8
  private static let writeBytes = 11

  var bytes: [UInt8]
  /// The instant of the first start bit.
  var begin: Instant

  /// The lines in a session's outputs. The last one can be incomplete, and so can those that a
  /// reset cut off.
  static func lines(in outputs: [TimedOutput], resets: [Instant] = []) -> [SentLine] {
    var lines: [SentLine] = []
    var isInside = false
    var resets = resets[...]
    for seen in outputs {
      while let reset = resets.first, reset < seen.time {
        resets.removeFirst()
        isInside = false
      }
      guard case .transmit(let byte) = seen.output else { continue }
      if isInside {
        lines[lines.count - 1].bytes.append(byte)
      } else {
        lines.append(SentLine(bytes: [byte], begin: seen.time))
      }
      isInside = byte != end
    }
    return lines
  }

  var isWhole: Bool { bytes.last == Self.end }

  var string: String { String(decoding: bytes.filter { $0 != Self.end }, as: UTF8.self) }

  /// The board's clock in a line about a servo write, in microseconds; nil for any other line.
  var clock: UInt32? {
    guard bytes.count == Self.writeBytes else { return nil }
    return UInt32(String(decoding: bytes.prefix(Self.clockDigits), as: UTF8.self), radix: 16)
  }

  /// The text without the clock.
  var text: [UInt8] {
    clock == nil ? bytes : Array(bytes.dropFirst(Self.clockDigits))
  }
}
