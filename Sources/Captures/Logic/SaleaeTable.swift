import Traces

/// Saleae's table of digital channels: `Time [s],names`, then a row for each change. Logic 1 writes
/// a space after each comma, and Logic 2 can write dates in place of seconds.
struct SaleaeTable {
  static var format: CaptureFormat { CaptureFormat(recognize, file: open) }

  private static func recognize(_ head: CaptureHead) -> Recognition {
    let lines = head.lines(3)
    guard let heading = lines.first, heading.hasPrefix("Time [s]") || heading.hasPrefix("Time[s]")
    else { return .no }
    guard lines.count > 1 else { return .possible }
    let fields = CSVRow.texts(lines[1])
    let commas = hasDecimalCommas(fields, CSVRow.texts(heading)) ? 1 : 0
    guard fields.count > 1, fields.count == CSVRow.texts(heading).count + commas,
      fields.dropFirst(1 + commas).allSatisfy({ ["0", "1", "X", "x"].contains($0) })
    else { return .no }
    // The analysers' tables begin in the same way: a value of one digit looks like a level.
    return heading.includes("Value") || heading.includes("Packet ID") ? .no : .certain
  }

  /// Whether a row has a field more than the heading, because a comma is in its time.
  private static func hasDecimalCommas(_ row: [String], _ heading: [String]) -> Bool {
    row.count == heading.count + 1
      && row.prefix(2).allSatisfy { $0.utf8.allSatisfy { (0x2D...0x39).contains($0) } }
  }

  private static func open(
    _ file: CaptureFile, _ options: CaptureOptions, _: Inflation?
  ) throws(CaptureError) -> Capture {
    let lines = try CaptureHead(file).lines(2)
    guard lines.count == 2 else {
      throw CaptureError(
        at: .line(lines.count + 1, column: 0), "expected a row with levels, found none")
    }
    let names = CSVRow.texts(lines[0]).dropFirst()
    guard (1...LogicLevels.channelsMax).contains(names.count) else {
      throw CaptureError(
        at: .line(1, column: 0),
        "expected a time and 1 to \(LogicLevels.channelsMax) channels, found \(names.count)")
    }
    guard !hasDecimalCommas(CSVRow.texts(lines[1]), CSVRow.texts(lines[0])) else {
      throw CaptureError(at: .line(2), LogicTable.decimalCommas)
    }
    let time = CSVRow.texts(lines[1]).first ?? ""
    let isDate = ISOTime.nanoseconds(time.utf8) != nil
    let table = LogicTable(
      file: file, firstLine: 2, time: isDate ? .date : .seconds,
      columns: names.indices.map { $0 - 1 },
      end: nil)
    let recording = LogicRecording(
      kind: .saleaeDigitalCSV,
      channels: names.enumerated().map { .init(name: $1, index: $0) }, sampleRate: nil,
      source: "Saleae Logic", recorded: isDate ? time : nil,
      scan: { (take) throws(CaptureError) in try table.scan(take) })
    return try Capture(recording, options)
  }
}
