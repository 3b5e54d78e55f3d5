package import Sketches

/// Numbers in messages for people. Files and JSON have formats of their own.
extension String {
  /// Writes a length of time in the unit that suits it: `200 us` below a millisecond, `20 ms` below
  /// a second, `1.5 s` above. It is exact below a millisecond, and rounded to a microsecond above.
  package init(readable interval: Interval) {
    let nanoseconds = interval.nanoseconds.magnitude
    let microseconds = (nanoseconds + 500) / 1_000
    let (value, unit) =
      switch microseconds {
      case ..<1_000: (nanoseconds, " us")
      case ..<1_000_000: (microseconds, " ms")
      default: (microseconds, " s")
      }
    let scale: UInt64 = microseconds < 1_000_000 ? 1_000 : 1_000_000
    var text: [UInt8] = []
    if interval < .zero { text.append(UInt8(ascii: "-")) }
    text.append(value / scale, digits: 1)
    let fraction = value % scale
    if fraction > 0 {
      text.append(UInt8(ascii: "."))
      text.append(fraction, digits: scale == 1_000 ? 3 : 6)
      while text.last == UInt8(ascii: "0") { text.removeLast() }
    }
    text.append(unit)
    self.init(decoding: text, as: UTF8.self)
  }

  /// Writes a number with its noun in the right form: `1 byte`, `2 bytes`.
  package init(counting number: Int, _ noun: String) {
    self = number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}

/// Bytes as reports show them.
package enum ByteText {
  /// Returns the character, the control character's name, or hexadecimal.
  package static func name(_ byte: UInt8) -> String {
    switch byte {
    case 0x0A: "LF"
    case 0x0D: "CR"
    case 0x09: "TAB"
    case 0x20: "space"
    case 0x21...0x7E: String(Unicode.Scalar(byte))
    default: hexadecimal(byte)
    }
  }

  /// Returns the bytes as they would be typed, in backquotes.
  package static func quoted(_ bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      switch byte {
      case 0x0A: text += "\\n"
      case 0x0D: text += "\\r"
      case 0x09: text += "\\t"
      case 0x20...0x7E: text += String(Unicode.Scalar(byte))
      default: text += "\\x" + hexadecimal(byte).dropFirst(2)
      }
    }
    return "`\(text)`"
  }

  /// Returns a byte as a trace contains it, in quotes.
  static func json(_ byte: UInt8) -> String {
    var text: [UInt8] = []
    text.appendQuoted(byte)
    return String(decoding: text, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    "0x" + String(byte, radix: 16, digits: 2, uppercase: true)
  }
}

extension Interval {
  /// Parses a length of time with its unit: `200us`, `15ms`, `1.5s`. Nil for anything else.
  package init?(withUnit text: String) {
    let units: [(name: String, perSecond: Int64)] = [
      ("ns", 1_000_000_000), ("us", 1_000_000), ("ms", 1_000), ("s", 1),
    ]
    // Parsed as seconds, so that no binary fraction is involved, then truncated to the unit.
    guard let unit = units.first(where: { text.hasSuffix($0.name) }),
      let seconds = Interval(
        decimalSeconds: String(text.dropLast(unit.name.count)), limit: 9_000_000_000),
      seconds.nanoseconds % unit.perSecond == 0,
      seconds.nanoseconds / unit.perSecond < 1_000_000_000_000_000_000
    else { return nil }
    self = Interval(nanoseconds: seconds.nanoseconds / unit.perSecond)
  }
}

extension String {
  /// Returns the text padded with spaces to a column of `width` characters.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
