/// Numbers in a text recording.
enum DecimalField {
  /// Parses seconds as nanoseconds, rounded: digits with a point, a sign, an exponent, and spaces
  /// around them. Nil for anything else, and for times that a trace cannot hold.
  static func nanoseconds(_ text: some Collection<UInt8>) -> Int64? {
    var text = text[...]
    while text.first == 0x20 { text = text.dropFirst() }
    var isNegative = false
    if let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      text = text.dropFirst()
    }
    var mantissa: UInt64 = 0
    // Digits after the first 18 are below a nanosecond, or else the time is too long.
    var exponent = 0
    var digits = 0
    var isAfterPoint = false
    while let byte = text.first, byte != 0x20 {
      text = text.dropFirst()
      switch byte {
      case 0x30...0x39:
        digits += 1
        if mantissa < 100_000_000_000_000_000 {
          mantissa = mantissa * 10 + UInt64(byte - 0x30)
          if isAfterPoint { exponent -= 1 }
        } else if !isAfterPoint {
          return nil
        }
      case UInt8(ascii: "."):
        guard !isAfterPoint else { return nil }
        isAfterPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        guard let power = whole(text), digits > 0 else { return nil }
        return scaled(mantissa, exponent + power + 9, isNegative)
      default: return nil
      }
    }
    guard digits > 0, text.allSatisfy({ $0 == 0x20 }) else { return nil }
    return scaled(mantissa, exponent + 9, isNegative)
  }

  /// Parses an exponent: one to three digits with an optional sign.
  private static func whole(_ text: some Collection<UInt8>) -> Int? {
    var text = text.prefix { $0 != 0x20 }
    var isNegative = false
    if let sign = text.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      text = text.dropFirst()
    }
    guard (1...3).contains(text.count) else { return nil }
    var value = 0
    for byte in text {
      guard (0x30...0x39).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return isNegative ? -value : value
  }

  private static func scaled(_ mantissa: UInt64, _ power: Int, _ isNegative: Bool) -> Int64? {
    var value = mantissa
    if power < 0 {
      guard power >= -20 else { return 0 }
      for _ in 0..<(-power - 1) { value /= 10 }
      value = (value + 5) / 10
    } else if value > 0 {
      guard power <= 18 else { return nil }
      for _ in 0..<power {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        value = product
      }
    }
    guard value < UInt64(LogicRecording.timeMax) else { return nil }
    return isNegative ? -Int64(value) : Int64(value)
  }
}
