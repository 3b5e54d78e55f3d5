/// The strings of `strace`, with octal and hexadecimal escapes. They can be cut off.
enum StraceText {
  /// Takes a string in quotes and appends its bytes. Returns false if there is none. Sets `isCut`
  /// if `...` follows it.
  static func take(
    _ cursor: inout LineCursor, into bytes: inout [UInt8], isCut: inout Bool
  ) -> Bool {
    guard cursor.take(0x22) else { return false }
    while let byte = cursor.peek() {
      cursor.position += 1
      if byte == 0x22 {
        if cursor.take("...") { isCut = true }
        return true
      }
      bytes.append(byte == 0x5c ? takeEscaped(&cursor) : byte)
    }
    return false
  }

  private static func takeEscaped(_ cursor: inout LineCursor) -> UInt8 {
    guard let letter = cursor.peek() else { return 0x5c }
    if let first = octal(letter) {
      cursor.position += 1
      var value = first
      var count = 1
      // At most three digits, so `\3771` is a byte and the character 1.
      while count < 3, let next = cursor.peek(), let digit = octal(next), value < 32 {
        value = value << 3 | digit
        cursor.position += 1
        count += 1
      }
      return value
    }
    cursor.position += 1
    switch letter {
    case 0x78: return cursor.takeHexByte() ?? letter
    case 0x6e: return 0x0a
    case 0x72: return 0x0d
    case 0x74: return 0x09
    case 0x76: return 0x0b
    case 0x66: return 0x0c
    case 0x61: return 0x07
    case 0x62: return 0x08
    default: return letter
    }
  }

  private static func octal(_ byte: UInt8) -> UInt8? {
    (0x30...0x37).contains(byte) ? byte - 0x30 : nil
  }
}
