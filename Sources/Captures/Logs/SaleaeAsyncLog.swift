import Traces

/// What the serial analyser of Saleae's Logic 1 exports: a byte a row, and a file for each channel.
/// Two files are one session; their names indicate the directions.
///
/// Source of the format: saleae/serial-analyzer, and public exports.
struct SaleaeAsyncLog: RecognizedLog {
  static let format = LogFormat(
    kind: .saleaeAsync, source: "Saleae Logic 1 export", clock: .absolute(isEpoch: false),
    ports: .sides, isAnalyzer: true, keepsZero: true)

  private(set) var ports: [LogPort] = []
  let resolution: Int64 = 0
  let uncertainty: Int64 = 0
  let notes: [String] = []
  private var record = LogRecord()

  init(_ options: CaptureOptions) {}

  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool {
    SaleaeRows.recognizes(line, isTable: false)
  }

  mutating func read(
    _ files: [CaptureFile], _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard let file = files.first, files.count <= 2 else {
      throw CaptureError(.usage, "expected one file or two, found \(files.count)")
    }
    ports = files.map { LogPort(name: $0.name) }
    var first = try SaleaeRows(file, try SaleaeRows.radix(file))
    guard files.count == 2 else {
      while let row = try first.next() { try take(row, 0, first.number, give) }
      return
    }
    // The earlier byte of both files comes next.
    var second = try SaleaeRows(files[1], try SaleaeRows.radix(files[1]))
    var one = try first.next()
    var other = try second.next()
    while one != nil || other != nil {
      if let row = one, row.time <= other?.time ?? .max {
        try take(row, 0, first.number, give)
        one = try first.next()
      } else if let row = other {
        try take(row, 1, second.number, give)
        other = try second.next()
      }
    }
  }

  private mutating func take(
    _ row: SaleaeRows.Row, _ port: Int, _ number: Int,
    _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    record.stamp = row.time
    record.bytes = [row.byte]
    record.hasFramingError = row.hasFramingError
    record.port = port
    record.place = .line(number, column: 1)
    try give(record)
  }
}
