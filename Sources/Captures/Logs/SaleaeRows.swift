import Traces

/// The rows of a table that Saleae's programs export, with the columns that the first line names.
struct SaleaeRows: ~Copyable {
  struct Row {
    /// In nanoseconds since the recording's zero or, for a date, since 1970.
    var time: Int64
    var isDate: Bool
    var name: String
    var byte: UInt8
    var hasFramingError: Bool
  }

  private var lines: CaptureLines
  private var columns = Columns()
  private let radix: SaleaeValue.Radix
  private var fields = CSVFields()
  /// The number of the last row's line.
  var number: Int { lines.number }

  /// The index of each column; nil if the table does not have it.
  private struct Columns {
    var time = 0
    var value = 0
    var name: Int?
    var type: Int?
    var error: Int?
  }

  /// Reads the first line.
  init(_ file: CaptureFile, _ radix: SaleaeValue.Radix) throws(CaptureError) {
    lines = CaptureLines(file)
    self.radix = radix
    guard let line = try lines.next(), let columns = Self.columns(line) else {
      throw CaptureError(
        .malformed, at: .line(1, column: 1),
        "expected a first line that names the columns, with a time and a byte")
    }
    self.columns = columns
  }

  /// Returns the next byte; nil at the end.
  mutating func next() throws(CaptureError) -> Row? {
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      fields.parse(line)
      if let type = columns.type, !fields[type].isEqual(to: "data") { continue }
      // A last line without a newline can be cut before its byte.
      if lines.endsWithoutNewline, fields.count <= max(columns.time, columns.value) { return nil }
      let stamp = fields[columns.time]
      let seconds = DecimalField.nanoseconds(stamp)
      guard let time = seconds ?? ISOTime.nanoseconds(stamp) else {
        throw CaptureError(
          .malformed, at: .line(number, column: 1),
          "expected a time in seconds or a date, found \(PlainText.quoted(stamp.name))")
      }
      let text = fields[columns.value]
      guard let byte = SaleaeValue.parse(text, radix) else {
        throw CaptureError(
          .malformed, at: .line(number, column: 1),
          "expected a byte, found \(PlainText.quoted(text.name)). Export the data as hexadecimal "
            + "numbers")
      }
      let error = columns.error.map { !fields[$0].isEmpty } ?? false
      return Row(
        time: time, isDate: seconds == nil, name: columns.name.map { fields[$0].name } ?? "",
        byte: byte,
        hasFramingError: error)
    }
    return nil
  }

  /// Finds out whether plain digits are numbers: they are if all values consist of digits and one
  /// has several.
  static func radix(_ file: CaptureFile) throws(CaptureError) -> SaleaeValue.Radix {
    var lines = CaptureLines(file)
    guard let line = try lines.next(), let columns = columns(line) else { return .text }
    var fields = CSVFields()
    var hasLongNumber = false
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      fields.parse(line)
      var cursor = LineCursor(fields[columns.value])
      guard let number = cursor.takeNumber(), number < 256, cursor.isAtEnd else { return .text }
      if number > 9 { hasLongNumber = true }
    }
    return hasLongNumber ? .decimal : .text
  }

  /// Whether a first line has the column names of Logic 2, for a table, or of Logic 1.
  static func recognizes(_ line: UnsafeRawBufferPointer, isTable: Bool) -> Bool {
    isTable
      ? line.starts(with: "name,type,start_time,duration") && columns(line) != nil
      : line.starts(with: "Time [s],") && columns(line) != nil
  }

  private static func columns(_ line: UnsafeRawBufferPointer) -> Columns? {
    var fields = CSVFields()
    fields.parse(line)
    var columns = Columns()
    var hasTime = false
    var hasValue = false
    for index in 0..<fields.count {
      let name = fields[index]
      if name.isEqual(to: "start_time") || name.isEqual(to: "Time [s]") {
        columns.time = index
        hasTime = true
      } else if name.isEqual(to: "data") || name.isEqual(to: "Value")
        || name.isEqual(to: "Decoded Protocol Result")
      {
        columns.value = index
        hasValue = true
      } else if name.isEqual(to: "name") || name.isEqual(to: "Analyzer Name") {
        columns.name = index
      } else if name.isEqual(to: "type") {
        columns.type = index
      } else if name.isEqual(to: "error") || name.isEqual(to: "Framing Error") {
        columns.error = index
      }
    }
    return hasTime && hasValue ? columns : nil
  }
}

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
