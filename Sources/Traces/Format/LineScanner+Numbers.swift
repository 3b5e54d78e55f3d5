import Sketches

// Numbers of a line: whole ones, decimals as billionths, and any number as the nearest `Double`.
extension LineScanner {
  /// Takes a decimal without sign and with at most nine places, as whole billionths. An exponent is
  /// accepted, because many programs write 0.00002 as 2e-05.
  @inline(__always)
  mutating func takeBillionths(
    _ what: StaticString, limit: Int64 = secondsLimit
  ) throws(Failure) -> Int64 {
    skipSpace()
    let start = position
    guard let whole = takeDigits() else { throw expected(what) }
    var fraction: Int64 = 0
    if peek() == UInt8(ascii: ".") {
      position += 1
      let first = position
      var scale: Int64 = 1_000_000_000
      while let byte = peek(), byte >= 0x30, byte <= 0x39 {
        scale /= 10
        guard scale > 0 else { return try takeScaled(what, from: start, limit: limit) }
        fraction += Int64(byte - 0x30) * scale
        position += 1
      }
      guard position > first else { throw expected("a digit after the point") }
    }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      return try takeScaled(what, from: start, limit: limit)
    }
    guard whole < limit else {
      throw Failure(offset: start, message: "expected less than 1 000 000 000 seconds")
    }
    return whole * 1_000_000_000 + fraction
  }

  /// Takes a length of time in seconds. Unlike a time, it is rare, so its code is not repeated.
  @inline(never)
  mutating func takeLength(
    _ what: StaticString, limit: Int64 = secondsLimit
  ) throws(Failure) -> Interval {
    Interval(nanoseconds: try takeBillionths(what, limit: limit))
  }

  /// Takes the number at `start`, which has more than nine places or an exponent, as whole
  /// billionths.
  @inline(never)
  private mutating func takeScaled(
    _ what: StaticString, from start: Int, limit: Int64
  ) throws(Failure) -> Int64 {
    position = start
    var digits: [UInt8] = []
    var places = 0
    var tenth: Int?
    while let byte = peek(),
      byte >= 0x30 && byte <= 0x39 || byte == UInt8(ascii: ".") && places == 0
    {
      if byte != UInt8(ascii: ".") {
        digits.append(byte - 0x30)
        if places > 0 { places += 1 }
        if places == 11 { tenth = position }
      } else {
        // One more than the digits after it.
        places = 1
      }
      position += 1
    }
    places = max(0, places - 1)
    let isScaled = peek().map { $0 | 0x20 == UInt8(ascii: "e") } ?? false
    if isScaled { position += 1 }
    let shift = isScaled ? try takeExponent() : 0
    // The digits that are left of the ninth place.
    let count = digits.count - places + shift + 9
    guard digits.dropFirst(max(0, count)).allSatisfy({ $0 == 0 }) else {
      throw Failure(
        offset: isScaled ? start : tenth ?? start,
        message: "expected at most nine places after the point")
    }
    var value: Int64 = 0
    for index in 0..<max(0, digits.contains { $0 != 0 } ? count : 0) {
      let digit = index < digits.count ? Int64(digits[index]) : 0
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow, product / 1_000_000_000 < limit else {
        throw Failure(offset: start, message: "expected less than 1 000 000 000 seconds")
      }
      value = product + digit
    }
    return value
  }

  /// Takes the digits of an exponent, with or without a sign. A larger one than any time's counts
  /// as the largest.
  private mutating func takeExponent() throws(Failure) -> Int {
    let isNegative = peek() == UInt8(ascii: "-")
    if isNegative || peek() == UInt8(ascii: "+") { position += 1 }
    let first = position
    var value = 0
    while let byte = peek(), byte >= 0x30, byte <= 0x39 {
      value = min(1_000, value * 10 + Int(byte - 0x30))
      position += 1
    }
    guard position > first else { throw expected("a digit of the exponent") }
    return isNegative ? -value : value
  }

  /// Takes a whole number without a sign, at most `limit`.
  @inline(__always)
  mutating func takeWhole(_ what: StaticString, limit: Int64) throws(Failure) -> Int64 {
    skipSpace()
    let start = position
    guard let value = takeDigits() else { throw expected(what) }
    if let byte = peek(), byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") {
      throw expected("a whole number")
    }
    guard value <= limit else {
      throw Failure(offset: start, message: "expected \(what), found \(value)")
    }
    return value
  }

  /// Takes a decimal that is not negative.
  mutating func takeDecimal(_ what: StaticString, limit: Double) throws(Failure) -> Double {
    skipSpace()
    let start = position
    if let byte = peek(), byte == UInt8(ascii: "-") { throw expected(what) }
    let text = try takeNumber(what)
    guard let value = Double(text), value <= limit else {
      throw Failure(
        offset: start, message: "expected \(what), found \(JSONValue.number(String(text)).noun)")
    }
    return value
  }

  /// Takes digits as JSON allows them, without leading zeros. Returns nil if there are none.
  @inline(__always)
  private mutating func takeDigits() -> Int64? {
    let start = position
    var value: Int64 = 0
    while let byte = peek(), byte >= 0x30, byte <= 0x39 {
      if position - start >= 18 { return nil }
      value = value &* 10 &+ Int64(byte &- 0x30)
      position += 1
    }
    if position == start { return nil }
    if position - start > 1 && bytes[start] == 0x30 {
      position = start + 1
      return nil
    }
    return value
  }

  /// Takes any JSON number and returns its text.
  mutating func takeNumber(_ what: StaticString) throws(Failure) -> Substring {
    skipSpace()
    let start = position
    func digits(_ scanner: inout LineScanner) throws(Failure) {
      let first = scanner.position
      while let byte = scanner.peek(), byte >= 0x30, byte <= 0x39 { scanner.position += 1 }
      guard scanner.position > first else { throw scanner.expected(what) }
    }
    if peek() == UInt8(ascii: "-") { position += 1 }
    let first = position
    try digits(&self)
    if position - first > 1 && bytes[first] == 0x30 {
      throw Failure(offset: first, message: "expected a number without leading zeros")
    }
    if peek() == UInt8(ascii: ".") {
      position += 1
      try digits(&self)
    }
    if let byte = peek(), byte | 0x20 == UInt8(ascii: "e") {
      position += 1
      if let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
        position += 1
      }
      try digits(&self)
    }
    return Substring(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
  }

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
