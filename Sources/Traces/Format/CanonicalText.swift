package import Sketches

extension String {
  /// Writes a time in seconds with six decimal places, or nine if needed.
  package init(canonical time: Instant) {
    var text: [UInt8] = []
    text.append(time)
    self.init(decoding: text, as: UTF8.self)
  }

  /// Writes a length of time in seconds as its shortest decimal.
  package init(shortest interval: Interval) {
    var text: [UInt8] = []
    text.appendShortest(interval)
    self.init(decoding: text, as: UTF8.self)
  }

  /// Writes a number as its shortest decimal, without an exponent.
  package init(shortest value: Double) {
    var text: [UInt8] = []
    text.appendShortest(value)
    self.init(decoding: text, as: UTF8.self)
  }
}

/// Elements of the canonical form, appended to UTF-8 text (all of it ASCII).
extension [UInt8] {
  package mutating func append(_ text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  // Disfavored, so that a literal is a `StaticString`: its bytes are copied without a String.
  @_disfavoredOverload
  package mutating func append(_ text: String) {
    append(contentsOf: text.utf8)
  }

  package mutating func append(_ value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(value.magnitude, digits: 1)
  }

  /// Appends a number with at least `digits` digits, at most 20.
  mutating func append(_ value: UInt64, digits: Int) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { text in
      let start = text.write(value, digits: digits, before: text.count)
      append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
  }

  /// Appends a time in seconds with six decimal places, or nine if needed.
  package mutating func append(_ time: Instant) {
    let nanoseconds = time.nanoseconds
    let (seconds, fraction) = nanoseconds.magnitude.quotientAndRemainder(
      dividingBy: 1_000_000_000)
    let (microseconds, rest) = fraction.quotientAndRemainder(dividingBy: 1_000)
    // Most of a trace is times, so each is appended at once.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { text in
      var start = text.count
      start =
        rest == 0
        ? text.write(microseconds, digits: 6, before: start)
        : text.write(fraction, digits: 9, before: start)
      start -= 1
      text[start] = UInt8(ascii: ".")
      start = text.write(seconds, digits: 1, before: start)
      if nanoseconds < 0 {
        start -= 1
        text[start] = UInt8(ascii: "-")
      }
      append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }
  }

  /// Appends a length of time in seconds as its shortest decimal.
  package mutating func appendShortest(_ interval: Interval) {
    if interval < .zero { append(UInt8(ascii: "-")) }
    let (seconds, fraction) = interval.nanoseconds.magnitude.quotientAndRemainder(
      dividingBy: 1_000_000_000)
    append(seconds, digits: 1)
    guard fraction > 0 else { return }
    append(UInt8(ascii: "."))
    append(fraction, digits: 9)
    while last == UInt8(ascii: "0") { removeLast() }
  }

  /// Appends a number as its shortest decimal, without an exponent.
  package mutating func appendShortest(_ value: Double) {
    if let whole = Int64(exactly: value) { return append(whole) }
    append(JSONValue.shortest(Substring("\(value)")))
  }

  /// Appends bytes as a JSON string, one character a byte (Latin-1).
  package mutating func appendQuoted(bytes: [UInt8]) {
    append(UInt8(ascii: "\""))
    if bytes.allSatisfy({ $0.isPlain }) {
      append(contentsOf: bytes)
    } else {
      for byte in bytes { appendEscaped(UInt16(byte)) }
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends a JSON string in ASCII.
  package mutating func appendQuoted(_ string: String) {
    append(UInt8(ascii: "\""))
    for unit in string.utf16 { appendEscaped(unit) }
    append(UInt8(ascii: "\""))
  }

  /// Appends a byte as a JSON string of one character (Latin-1).
  mutating func appendQuoted(_ byte: UInt8) {
    append(UInt8(ascii: "\""))
    if byte.isPlain { append(byte) } else { appendEscaped(UInt16(byte)) }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ unit: UInt16) {
    switch unit {
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    case 0x08: append("\\b")
    case 0x0C: append("\\f")
    case 0x0A: append("\\n")
    case 0x0D: append("\\r")
    case 0x09: append("\\t")
    case 0x20...0x7E: append(UInt8(unit))
    default:
      append("\\u")
      for shift: UInt16 in [12, 8, 4, 0] {
        let digit = UInt8(unit >> shift & 0xF)
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
      }
    }
  }
}

extension UInt8 {
  /// Whether the character stands for itself in a JSON string.
  fileprivate var isPlain: Bool { self >= 0x20 && self < 0x7F && self != 0x22 && self != 0x5C }
}

extension UnsafeMutableBufferPointer<UInt8> {
  /// Writes a number with at least `digits` digits before a place. Returns where it begins.
  fileprivate func write(_ value: UInt64, digits: Int, before end: Int) -> Int {
    var start = end
    var rest = value
    // Two digits for each division, since the divisions take most of the time.
    while rest >= 100 || end - start + 2 <= digits {
      let (others, pair) = rest.quotientAndRemainder(dividingBy: 100)
      let (tens, ones) = UInt32(truncatingIfNeeded: pair).quotientAndRemainder(dividingBy: 10)
      start -= 2
      self[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: tens)
      self[start + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: ones)
      rest = others
    }
    while rest > 0 || end - start < digits {
      start -= 1
      self[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    return start
  }
}
