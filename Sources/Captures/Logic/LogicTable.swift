import Traces

/// A recording as a table: a row for each sample or each change, a column for each channel, and
/// perhaps one with the times. sigrok, DSView and Saleae write such tables.
struct LogicTable {
  /// How a row's time is found.
  enum Time {
    /// Each row is a sample.
    case row(rate: UInt64)
    /// In the first column, in seconds.
    case seconds
    /// In the first column, as a whole number of ticks. If the sample rate is known, a time is that
    /// of the nearest sample.
    case ticks(perSecond: UInt64, rate: UInt64?)
    /// In the first column, as a date and a time.
    case date
  }

  let file: CaptureFile
  /// The first line with values, from 1.
  var firstLine: Int
  var time: Time
  /// The channel of each column after the one with the times; nil for a column that is left out.
  var columns: [Int?]
  /// The end, in nanoseconds; nil if the head does not state it.
  var end: Int64?

  /// Why a table whose times have decimal commas is refused.
  static let decimalCommas =
    "expected a time with a decimal point, found a field more than in the heading: the program "
    + "that exported the table uses decimal commas; start it with LC_ALL=C, and export again"

  /// Passes on the levels of each row that differs from the one before.
  func scan(_ take: LogicRecording.Take) throws(CaptureError) -> LogicRecording.End {
    var lines = CaptureLines(file)
    var reader = RowReader(self)
    var last: LogicLevels?
    var time: Int64 = 0
    while let line = try lines.next() {
      let number = lines.number
      guard number >= firstLine else { continue }
      guard !line.isEmpty, line.contains(where: { $0 != 0x20 }) else { continue }
      guard line[0] != UInt8(ascii: ";") else { continue }
      let isLast = lines.endsWithoutNewline
      let levels: LogicLevels
      do throws(CaptureError) {
        levels = try reader.read(line, number)
      } catch {
        guard isLast, last != nil else { throw error }
        return LogicRecording.End(
          time: reader.end ?? time, isKnown: true,
          notes: ["the last line is cut off and left out"])
      }
      guard levels.time >= time else {
        throw CaptureError(
          at: .line(number),
          "expected times that never decrease, found one before that of the line above")
      }
      time = levels.time
      if last?.high != levels.high || last?.unknown != levels.unknown {
        last = levels
        guard try take(levels) else { break }
      }
    }
    guard last != nil else {
      throw CaptureError(
        at: .line(lines.number, column: 0), "expected a row with levels, found none")
    }
    return end(reader, time)
  }

  private func end(_ reader: RowReader, _ time: Int64) -> LogicRecording.End {
    if let end, end >= time { return .init(time: end, isKnown: true) }
    return .init(time: reader.end ?? time, isKnown: reader.end != nil)
  }

  /// Reads the rows in order.
  private struct RowReader {
    private let table: LogicTable
    private var rows: UInt64 = 0
    private var start: Int64?
    private var firstTick: UInt64 = 0

    init(_ table: LogicTable) { self.table = table }

    /// The end of the last sample; nil unless each row is a sample.
    var end: Int64? {
      guard case .row(let rate) = table.time else { return nil }
      return LogicRecording.time(ofSample: rows, rate: rate)
    }

    mutating func read(
      _ line: UnsafeRawBufferPointer, _ number: Int
    ) throws(CaptureError) -> LogicLevels {
      var row = CSVRow(line)
      var levels = LogicLevels(time: try time(&row, number), high: 0)
      for channel in table.columns {
        guard let field = row.next() else {
          throw CaptureError(
            at: .line(number, column: line.count + 1),
            "expected \(table.columns.count) levels, found the end of the line")
        }
        guard let channel else { continue }
        let bit: UInt64 = 1 << UInt64(channel)
        switch field.count == 1 ? field[0] : 0 {
        case UInt8(ascii: "1"): levels.high |= bit
        case UInt8(ascii: "0"): break
        case UInt8(ascii: "X"), UInt8(ascii: "x"), UInt8(ascii: "-"): levels.unknown |= bit
        case UInt8(ascii: "Z"), UInt8(ascii: "z"):
          levels.high |= bit
          levels.unknown |= bit
        default:
          guard !hasDecimalComma(line) else {
            throw CaptureError(at: .line(number), LogicTable.decimalCommas)
          }
          let found = PlainText.quoted(String(latin1: field.prefix(40)))
          throw CaptureError(
            at: .line(number, column: row.column),
            "expected a level, which is 0, 1, X or Z, found \(found)")
        }
      }
      try endRow(&row, line, number)
      rows += 1
      return levels
    }

    /// Fails if a row has more fields than there are columns, except an empty one at its end.
    private func endRow(
      _ row: inout CSVRow, _ line: UnsafeRawBufferPointer, _ number: Int
    ) throws(CaptureError) {
      guard !row.isAtEnd, let field = row.next(), !(field.isEmpty && row.isAtEnd) else { return }
      let column = row.column
      guard !hasDecimalComma(line) else {
        throw CaptureError(at: .line(number), LogicTable.decimalCommas)
      }
      let expected = line.prefix(column - 1).count { $0 == UInt8(ascii: ",") }
      throw CaptureError(
        at: .line(number, column: column),
        "expected \(expected) fields, as in the lines above, found more")
    }

    /// Whether a row has one field more than there are columns, because a comma is in its time.
    private func hasDecimalComma(_ line: UnsafeRawBufferPointer) -> Bool {
      if case .seconds = table.time {
        return line.count { $0 == UInt8(ascii: ",") } == table.columns.count + 1
      }
      return false
    }

    private mutating func time(_ row: inout CSVRow, _ number: Int) throws(CaptureError) -> Int64 {
      if case .row(let rate) = table.time {
        return try check(LogicRecording.time(ofSample: rows, rate: rate), number)
      }
      let field = row.next()
      var value: Int64?
      if let field {
        switch table.time {
        case .seconds: value = DecimalField.nanoseconds(field)
        case .date: value = ISOTime.nanoseconds(field)
        case .ticks(let perSecond, let rate): return try ticks(field, perSecond, rate, number)
        case .row: break
        }
      }
      guard let value else {
        let found = PlainText.quoted(field.map { String(latin1: $0.prefix(40)) } ?? "")
        throw CaptureError(at: .line(number, column: row.column), "expected a time, found \(found)")
      }
      let first = start ?? value
      start = first
      return try check(value.subtractingReportingOverflow(first).partialValue, number)
    }

    private mutating func ticks(
      _ field: UnsafeRawBufferPointer, _ perSecond: UInt64, _ rate: UInt64?, _ number: Int
    ) throws(CaptureError) -> Int64 {
      var value: UInt64 = 0
      guard !field.isEmpty, field.count <= 18, field.allSatisfy({ (0x30...0x39).contains($0) })
      else {
        let found = PlainText.quoted(String(latin1: field.prefix(40)))
        throw CaptureError(at: .line(number), "expected a whole number, found \(found)")
      }
      for byte in field { value = value * 10 + UInt64(byte - 0x30) }
      if start == nil {
        start = 0
        firstTick = value
      }
      guard value >= firstTick else { return -1 }
      value -= firstTick
      guard let rate else {
        return try check(LogicRecording.time(ofSample: value, rate: perSecond), number)
      }
      // The file truncates times to whole ticks, so the nearest sample is the right one.
      let (seconds, rest) = value.quotientAndRemainder(dividingBy: perSecond)
      guard seconds < 1_000_000_000 else { return try check(nil, number) }
      let part = rest.multipliedFullWidth(by: rate)
      let (quotient, remainder) = perSecond.dividingFullWidth(part)
      let sample = seconds * rate + quotient + (remainder >= perSecond - remainder ? 1 : 0)
      return try check(LogicRecording.time(ofSample: sample, rate: rate), number)
    }

    private func check(_ time: Int64?, _ number: Int) throws(CaptureError) -> Int64 {
      guard let time, time < LogicRecording.timeMax else {
        throw CaptureError(
          at: .line(number), "expected a time below 1 000 000 000 s after the first")
      }
      return time
    }
  }
}
