/// Rows of bytes as hexadecimal numbers, as most logs print them.
enum HexRow {
  /// Takes bytes with one separator between them, at most `limit`. Stops at anything else, and at a
  /// number of more than two digits.
  static func take(
    _ cursor: inout LineCursor, upTo limit: Int, into bytes: inout [UInt8], separator: UInt8 = 0x20
  ) {
    var count = 0
    while count < limit {
      var next = cursor
      if count > 0, !next.take(separator) { return }
      guard let byte = next.takeHexByte(), next.peek()?.hexDigit == nil else { return }
      bytes.append(byte)
      cursor = next
      count += 1
    }
  }

  /// Returns the number of bytes in the rest of a line if it consists only of bytes, each followed
  /// by a blank or by the end; else nil.
  static func count(_ cursor: LineCursor) -> Int? {
    var cursor = cursor
    var count = 0
    cursor.skipBlanks()
    while !cursor.isAtEnd {
      guard cursor.takeHexByte() != nil, cursor.isAtEnd || cursor.skipBlanks() > 0 else {
        return nil
      }
      count += 1
    }
    return count
  }
}
