import Traces

/// The table that Saleae's Logic 2 exports for its analysers: a byte in each row, with the
/// analyser's name. The times are those of the start bits.
///
/// Source of the format: the test files of saleae/logic2-automation, and public exports.
struct SaleaeTableLog: LogReader {
  static let format = LogFormat(
    kind: .saleaeTable, source: "Saleae Logic 2 data table", clock: .absolute(isEpoch: false),
    ports: .sides, isAnalyzer: true, keepsZero: true)

  private(set) var ports: [LogPort] = []
  private(set) var clock = format.clock

  init(_ options: CaptureOptions) {}

  static func recognize(_ head: CaptureHead) -> Recognition {
    let found = SaleaeRows.recognize(head, by: "name,type,start_time,duration")
    guard found == .no else { return found }
    // As other programs write the table again.
    return SaleaeRows.recognize(head, by: "\"name\",\"type\",\"start_time\",\"duration\"")
  }

  mutating func read(_ files: [CaptureFile], _ give: LogRecord.Take) throws(CaptureError) {
    guard files.count == 1 else {
      throw CaptureError(.usage, "expected one file, found \(files.count)")
    }
    var rows = try SaleaeRows(files[0])
    while var record = try rows.next() {
      if let stamped = record.clock { clock = stamped }
      record.port = try ports.index(of: rows.name, at: record.place, noun: "analysers")
      try give(record)
    }
  }
}

/// What the serial analyser of Saleae's Logic 1 exports: a byte a row, and a file for each channel.
/// Two files are one session; their names indicate the directions.
///
/// Source of the format: saleae/serial-analyzer, and public exports.
struct SaleaeAsyncLog: LogReader {
  static let format = LogFormat(
    kind: .saleaeAsync, source: "Saleae Logic 1 export", clock: .absolute(isEpoch: false),
    ports: .sides, isAnalyzer: true, keepsZero: true)

  private(set) var ports: [LogPort] = []

  init(_ options: CaptureOptions) {}

  static func recognize(_ head: CaptureHead) -> Recognition {
    SaleaeRows.recognize(head, by: "Time [s],")
  }

  mutating func read(_ files: [CaptureFile], _ give: LogRecord.Take) throws(CaptureError) {
    guard let file = files.first, files.count <= 2 else {
      throw CaptureError(.usage, "expected one file or two, found \(files.count)")
    }
    ports = files.map { LogPort(name: $0.name) }
    var first = try SaleaeRows(file)
    var one = try first.next()
    guard files.count == 2 else {
      while let record = one {
        try give(record)
        one = try first.next()
      }
      return
    }
    // The earlier byte of both files comes next.
    var second = try SaleaeRows(files[1])
    var other = try second.next()
    while one != nil || other != nil {
      if let record = one, record.stamp ?? 0 <= other?.stamp ?? .max {
        try give(record)
        one = try first.next()
      } else if var record = other {
        record.port = 1
        try give(record)
        other = try second.next()
      }
    }
  }
}

/// The rows of a table that Saleae's programs export, with the columns that the first line names.
struct SaleaeRows: ~Copyable {
  private var lines: CaptureLines
  private var columns = Columns()
  /// Whether plain digits are numbers: they are if all values consist of digits and one has
  /// several.
  private var isDecimal = false
  private var fields = CSVFields()
  /// The analyser's name in the last row; empty if the table does not have it.
  private(set) var name = ""

  /// The index of each column; nil if the table does not have it.
  private struct Columns {
    var time = 0
    var value = 0
    var name: Int?
    var type: Int?
    var error: Int?
  }

  /// Recognizes a table by the beginning of its first line and the columns that it names.
  static func recognize(_ head: CaptureHead, by start: StaticString) -> Recognition {
    head.recognitionByFirstLine { $0.bytes.starts(with: start) && columns($0.bytes) != nil }
  }

  /// Reads the first line.
  init(_ file: CaptureFile) throws(CaptureError) {
    lines = CaptureLines(file)
    guard let line = try lines.next(), let columns = Self.columns(line) else {
      throw CaptureError(
        at: .line(1), "expected a first line that names the columns, with a time and a byte")
    }
    self.columns = columns
    isDecimal = try Self.isDecimal(file, columns)
  }

  /// Returns the record of the next byte; nil at the end. Its stamp is in nanoseconds since the
  /// recording's zero or, for a date, since 1970.
  mutating func next() throws(CaptureError) -> LogRecord? {
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      fields.parse(line)
      if let type = columns.type, !fields[type].isEqual(to: "data") { continue }
      // A last line without a newline can be cut before its byte.
      if lines.endsWithoutNewline, fields.count <= max(columns.time, columns.value) { return nil }
      let stamp = fields[columns.time]
      let seconds = DecimalField.nanoseconds(stamp)
      let place = CaptureError.Place.line(lines.number)
      guard let time = seconds ?? ISOTime.nanoseconds(stamp) else {
        throw CaptureError(
          at: place,
          "expected a time in seconds or a date, found \(PlainText.quoted(stamp.name))")
      }
      let text = fields[columns.value]
      guard let byte = SaleaeValue.parse(text, isDecimal: isDecimal) else {
        throw CaptureError(
          at: place,
          "expected a byte, found \(PlainText.quoted(text.name)). Export the data as "
            + "hexadecimal numbers")
      }
      name = columns.name.map { fields[$0].name } ?? ""
      var record = LogRecord()
      record.begin(time, at: place)
      if seconds == nil { record.clock = .absolute(isEpoch: true) }
      record.bytes = [byte]
      record.hasFramingError = columns.error.map { !fields[$0].isEmpty } ?? false
      return record
    }
    return nil
  }

  private static func isDecimal(_ file: CaptureFile, _ columns: Columns) throws(CaptureError)
    -> Bool
  {
    var lines = CaptureLines(file)
    _ = try lines.next()
    var fields = CSVFields()
    var hasLongNumber = false
    while let line = try lines.next() {
      guard !line.isEmpty else { continue }
      fields.parse(line)
      var cursor = LineCursor(fields[columns.value])
      guard let number = cursor.takeNumber(), number < 256, cursor.isAtEnd else { return false }
      if number > 9 { hasLongNumber = true }
    }
    return hasLongNumber
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
  /// Parses a value; nil if it is not one. `isDecimal` is whether `9` is the number, and not the
  /// character.
  static func parse(_ text: UnsafeRawBufferPointer, isDecimal: Bool) -> UInt8? {
    var cursor = LineCursor(text)
    if text.count == 1 { return isDecimal ? text[0].decimalDigit ?? text[0] : text[0] }
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
    let byte: UInt8? =
      switch letter {
      case UInt8(ascii: "0"): 0x00
      case UInt8(ascii: "e"): 0x1b
      case UInt8(ascii: "x"), UInt8(ascii: "X"): cursor.takeHexByte()
      case UInt8(ascii: "\""), UInt8(ascii: "'"): letter
      default: letter.escapedByte
      }
    return cursor.isAtEnd ? byte : nil
  }
}
