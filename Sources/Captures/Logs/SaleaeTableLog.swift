import Traces

/// The table that Saleae's Logic 2 exports for its analysers: a byte in each row, with the
/// analyser's name. The times are those of the start bits.
///
/// Source of the format: the test files of saleae/logic2-automation, and public exports.
struct SaleaeTableLog: RecognizedLog {
  static let format = LogFormat(
    kind: .saleaeTable, source: "Saleae Logic 2 data table", clock: .absolute(isEpoch: false),
    ports: .sides, isAnalyzer: true, keepsZero: true)

  private(set) var ports: [LogPort] = []
  let resolution: Int64 = 0
  let uncertainty: Int64 = 0
  let notes: [String] = []
  private(set) var clock = format.clock
  private var record = LogRecord()

  init(_ options: CaptureOptions) {}

  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool {
    SaleaeRows.recognizes(line, isTable: true)
  }

  mutating func read(
    _ files: [CaptureFile], _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard files.count == 1 else {
      throw CaptureError(.usage, "expected one file, found \(files.count)")
    }
    var rows = try SaleaeRows(files[0], try SaleaeRows.radix(files[0]))
    while let row = try rows.next() {
      record.stamp = row.time
      if row.isDate { clock = .absolute(isEpoch: true) }
      record.bytes = [row.byte]
      record.hasFramingError = row.hasFramingError
      record.place = .line(rows.number, column: 1)
      record.port = try ports.index(of: row.name, at: record.place, noun: "analysers")
      try give(record)
    }
  }
}
