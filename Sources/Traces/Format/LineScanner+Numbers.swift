extension LineScanner {
  /// A number as written: `mantissa` divided by ten to the power of `places`.
  private struct Plain {
    var isNegative: Bool
    var mantissa: UInt64
    var places: Int
  }

  private static let powersOfTen: [UInt64] = (0..<19).reduce(into: [1]) { powers, _ in
    powers.append(powers[powers.count - 1] * 10)
  }
  /// The same powers as `Double`, which is exact up to 10 to the power of 22.
  private static let exactPowersOfTen: [Double] = powersOfTen.map { Double($0) }

  /// Takes any number, as the nearest `Double`. JSON has no NaN, and a number beyond the largest is
  /// refused.
  package mutating func takeDouble(_ what: StaticString) throws(Failure) -> Double {
    skipSpace()
    let start = position
    if let plain = takePlainNumber(), plain.mantissa <= 1 << 53 {
      // Both are exact, so the quotient is rounded only once.
      let value = Double(plain.mantissa) / Self.exactPowersOfTen[plain.places]
      return plain.isNegative ? -value : value
    }
    position = start
    if let byte = peek(), byte == UInt8(ascii: "N") || byte == UInt8(ascii: "I") {
      let failure = expected(what)
      throw Failure(
        offset: start, message: failure.message + "; JSON has no NaN and no Infinity, leave it out")
    }
    let text = try takeNumber(what)
    guard let value = Double(text), value.isFinite else {
      let found = JSONValue.number(String(text)).noun
      throw Failure(offset: start, message: "expected \(what) that is finite, found \(found)")
    }
    return value
  }

  /// Takes seconds, 0 or more, as nanoseconds. Finer digits are rounded.
  package mutating func takeNanoseconds(_ what: StaticString) throws(Failure) -> Int64 {
    skipSpace()
    let start = position
    var nanoseconds: Int64?
    if let plain = takePlainNumber(), plain.places <= 9, !plain.isNegative {
      let (product, overflow) = plain.mantissa.multipliedReportingOverflow(
        by: Self.powersOfTen[9 - plain.places])
      nanoseconds = overflow ? nil : Int64(exactly: product)
    }
    if nanoseconds == nil {
      position = start
      let seconds = try takeDouble(what)
      guard seconds >= 0 else {
        throw Failure(offset: start, message: "expected \(what) from 0, found \(seconds)")
      }
      nanoseconds = Int64(exactly: (seconds * 1e9).rounded())
    }
    guard let nanoseconds, nanoseconds < Self.secondsLimit * 1_000_000_000 else {
      throw Failure(
        offset: start,
        message: "expected less than 1 000 000 000 seconds, counted from the session's start")
    }
    return nanoseconds
  }

  /// Takes a number without an exponent and with at most 18 digits. Returns nil for anything else;
  /// the position is then undefined.
  @inline(__always)
  private mutating func takePlainNumber() -> Plain? {
    var plain = Plain(isNegative: peek() == UInt8(ascii: "-"), mantissa: 0, places: 0)
    if plain.isNegative { position += 1 }
    let first = position
    while let byte = peek(), byte >= 0x30, byte <= 0x39 {
      plain.mantissa = plain.mantissa &* 10 &+ UInt64(byte &- 0x30)
      position += 1
    }
    var digits = position - first
    guard digits > 0, digits == 1 || bytes[first] != 0x30 else { return nil }
    if peek() == UInt8(ascii: ".") {
      position += 1
      let point = position
      while let byte = peek(), byte >= 0x30, byte <= 0x39 {
        plain.mantissa = plain.mantissa &* 10 &+ UInt64(byte &- 0x30)
        position += 1
      }
      plain.places = position - point
      guard plain.places > 0 else { return nil }
      digits += plain.places
    }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") { return nil }
    return digits <= 18 ? plain : nil
  }
}
