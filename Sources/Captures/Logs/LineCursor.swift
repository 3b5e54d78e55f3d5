import Traces

/// A position in one line of a log, or in any other bytes. Reads forwards and never beyond the end.
struct LineCursor {
  let bytes: UnsafeRawBufferPointer
  var position = 0
  /// The line's number, from 1; 0 for bytes that are no line of a file.
  let number: Int

  init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0, line number: Int = 0) {
    self.bytes = bytes
    self.position = min(max(0, position), bytes.count)
    self.number = number
  }

  var isAtEnd: Bool { position >= bytes.count }
  /// The place of the next byte, for an error.
  var place: CaptureError.Place { .line(number, column: position + 1) }

  /// Returns the next byte, or the one `ahead` bytes after it; nil beyond the end.
  @inline(__always)
  func peek(_ ahead: Int = 0) -> UInt8? {
    position + ahead < bytes.count ? bytes[position + ahead] : nil
  }

  /// Takes one byte if it is the next one.
  @inline(__always)
  mutating func take(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// Takes one of the two texts that name the directions; nil if neither is next.
  mutating func takeDirection(_ toBoard: StaticString, _ fromBoard: StaticString) -> Event.Line? {
    if take(toBoard) { return .rx }
    return take(fromBoard) ? .tx : nil
  }

  @inline(__always)
  mutating func take(_ text: StaticString) -> Bool {
    guard rest.starts(with: text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  /// Takes spaces and tabs. Returns their number.
  @discardableResult
  mutating func skipBlanks() -> Int {
    let start = position
    while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 {
      position += 1
    }
    return position - start
  }

  /// Takes a decimal number of at most 18 digits, which cannot overflow. Returns nil and takes
  /// nothing if there is none or it is longer.
  mutating func takeNumber() -> Int64? {
    var value: Int64 = 0
    var end = position
    while end < bytes.count, let digit = bytes[end].decimalDigit {
      guard end - position < 18 else { return nil }
      value = value * 10 + Int64(digit)
      end += 1
    }
    guard end > position else { return nil }
    position = end
    return value
  }

  /// Takes a number of exactly this many digits, at most 18.
  mutating func takeDigits(_ count: Int) -> Int64? {
    guard bytes.count - position >= count else { return nil }
    var value: Int64 = 0
    for index in position..<position + count {
      guard let digit = bytes[index].decimalDigit else { return nil }
      value = value * 10 + Int64(digit)
    }
    position += count
    return value
  }

  /// Takes the digits after a decimal point, as billionths; digits after the ninth are cut off.
  mutating func takeFraction() -> (billionths: Int64, digits: Int)? {
    var value: Int64 = 0
    var end = position
    while end < bytes.count, let digit = bytes[end].decimalDigit {
      if end - position < 9 { value = value &* 10 &+ Int64(digit) }
      end += 1
    }
    let digits = end - position
    guard digits > 0 else { return nil }
    position = end
    for _ in min(digits, 9)..<9 { value *= 10 }
    return (value, digits)
  }

  /// Takes a byte as two hexadecimal digits.
  @inline(__always)
  mutating func takeHexByte() -> UInt8? {
    guard position + 1 < bytes.count, let high = bytes[position].hexDigit,
      let low = bytes[position + 1].hexDigit
    else { return nil }
    position += 2
    return high << 4 | low
  }

  /// Takes the bytes before `byte`, or before the end.
  mutating func takeText(upTo byte: UInt8) -> UnsafeRawBufferPointer {
    let start = position
    while position < bytes.count, bytes[position] != byte { position += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  var rest: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[min(position, bytes.count)...])
  }
}

extension UInt8 {
  @inline(__always)
  var decimalDigit: UInt8? {
    let value = self &- 0x30
    return value < 10 ? value : nil
  }

  /// The byte that C writes as a backslash and this letter; nil if it is none of these.
  var escapedByte: UInt8? {
    switch self {
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0a
    case UInt8(ascii: "v"): 0x0b
    case UInt8(ascii: "f"): 0x0c
    case UInt8(ascii: "r"): 0x0d
    case UInt8(ascii: "\\"): self
    default: nil
    }
  }

  @inline(__always)
  var hexDigit: UInt8? {
    let value = self &- 0x30
    if value < 10 { return value }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes contain a text.
  func includes(_ text: StaticString) -> Bool {
    var start = 0
    while let first = offset(of: text.utf8Start[0], from: start) {
      if UnsafeRawBufferPointer(rebasing: self[first...]).starts(with: text) { return true }
      start = first + 1
    }
    return false
  }

  /// The bytes as text, cut off after 200.
  var name: String { String(decoding: prefix(200), as: UTF8.self) }

  /// The bytes without spaces and tabs at both ends.
  var trimmed: UnsafeRawBufferPointer {
    var start = 0
    var end = count
    while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
    while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[start..<end])
  }
}

extension [UInt8] {
  /// Calls a function with the bytes, and rethrows its error with its type.
  func withBytes(
    _ take: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    let failure: CaptureError? = withUnsafeBytes { bytes in
      do throws(CaptureError) {
        try take(bytes)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
  }
}

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
