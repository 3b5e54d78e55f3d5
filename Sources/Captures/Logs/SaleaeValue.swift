import Traces

/// A byte as Saleae's programs export it: a number, a character, or a character's name.
enum SaleaeValue {
  /// How plain digits are meant.
  enum Radix: Hashable {
    /// `9` is the character.
    case text
    /// `9` is the number.
    case decimal
  }

  /// Parses a value; nil if it is not one.
  static func parse(_ text: UnsafeRawBufferPointer, _ radix: Radix) -> UInt8? {
    var cursor = LineCursor(text)
    if text.count == 1 {
      if radix == .decimal, let digit = text[0].decimalDigit { return digit }
      return text[0]
    }
    if cursor.take("0x") || cursor.take("0X") {
      guard let byte = cursor.takeHexByte(), cursor.isAtEnd || cursor.peek() == 0x20 else {
        return nil
      }
      return byte
    }
    if cursor.take("0b") { return takeBinary(&cursor) }
    if text.isEqual(to: "COMMA") { return 0x2c }
    // A quote in quotes.
    if text.isEqual(to: "\"\"") { return 0x22 }
    if text.isEqual(to: "' '") { return 0x20 }
    if cursor.take(0x5c) { return takeEscaped(&cursor) }
    // `'255'`: the number of a byte that is not a character.
    let isQuoted = cursor.take(0x27)
    if let number = cursor.takeNumber(), number < 256, !isQuoted || cursor.take(0x27),
      cursor.isAtEnd
    {
      return UInt8(number)
    }
    // `X (0x58)`
    if text.count > 6, text[text.count - 1] == 0x29 {
      var inner = LineCursor(text, at: text.count - 5)
      if inner.take("0x"), let byte = inner.takeHexByte() { return byte }
    }
    return nil
  }

  private static func takeBinary(_ cursor: inout LineCursor) -> UInt8? {
    var value = 0
    var digits = 0
    while let byte = cursor.peek() {
      cursor.position += 1
      if byte == 0x20 { continue }
      guard byte == 0x30 || byte == 0x31, digits < 8 else { return nil }
      value = value << 1 | Int(byte - 0x30)
      digits += 1
    }
    return digits > 0 ? UInt8(value) : nil
  }

  private static func takeEscaped(_ cursor: inout LineCursor) -> UInt8? {
    guard let letter = cursor.peek() else { return nil }
    cursor.position += 1
    let byte: UInt8?
    switch letter {
    case 0x30: byte = 0x00
    case 0x61: byte = 0x07
    case 0x62: byte = 0x08
    case 0x74: byte = 0x09
    case 0x6e: byte = 0x0a
    case 0x76: byte = 0x0b
    case 0x66: byte = 0x0c
    case 0x72: byte = 0x0d
    case 0x65: byte = 0x1b
    case 0x78, 0x58: byte = cursor.takeHexByte()
    case 0x5c, 0x22, 0x27: byte = letter
    default: byte = nil
    }
    return cursor.isAtEnd ? byte : nil
  }
}
