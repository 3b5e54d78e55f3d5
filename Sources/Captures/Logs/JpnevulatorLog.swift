import Traces

/// What `jpnevulator --read --timing-print` writes: a line with the time and the name of the port
/// that sent, and rows of bytes below it. The names indicate the directions. Bytes that arrive
/// within `--timing-delta` of each other (100 ms by default) are one record with the first byte's
/// time. With `--byte-count` the number of the bytes before it, as eight hexadecimal digits, is in
/// front of each row; with `--base binary` a byte has eight digits; with `--control` there are
/// lines such as `le=0, dtr=1, ...`.
///
/// Source of the format: jpnevulator 2.3.6, and the rewrite in Python.
///
/// | `jpnevulator` | `jpnevulator --timing-print` | 1 us | `--timing-delta`, 2 to 100 ms |
struct JpnevulatorLog: LineLogReader {
  static let format = LogFormat(
    kind: .jpnevulator, source: "jpnevulator", clock: .local, resolution: 1_000, ports: .sides,
    portNoun: "name")

  /// The default of `--timing-delta`, in nanoseconds.
  private static let deltaMax: Int64 = 100_000_000
  private static let deltaMin: Int64 = 2_000_000

  private(set) var ports: [LogPort] = []
  private let isLossy: Bool
  private var record = LogRecord()
  /// The number of bytes that each port has sent; nil if it is not known.
  private var counts: [Int64?] = []
  /// The shortest time between two records of one port, the first of which is a single byte: the
  /// delta was shorter than that.
  private var shortestGap = deltaMax
  private var previous: (stamp: Int64, port: Int, count: Int)?

  init(_ options: CaptureOptions) { isLossy = options.isLossy }

  var uncertainty: Int64 { min(Self.deltaMax, max(Self.deltaMin, shortestGap)) }

  /// Whether a line is the head of a record.
  static func recognizes(_ line: LineCursor) -> Bool { head(line) != nil }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    if let (stamp, name) = Self.head(line) {
      try finish(give)
      let port = try ports.index(of: name.name, at: line.place, noun: "names of ports")
      if let previous, previous.port == port, previous.count == 1, stamp > previous.stamp {
        shortestGap = min(shortestGap, stamp - previous.stamp)
      }
      return record.begin(stamp, port: port, at: line.place)
    }
    guard !line.bytes.trimmed.isEmpty, !line.bytes.starts(with: "le=") else { return }
    if ports.isEmpty { ports.append(LogPort(name: "")) }
    var cursor = line
    try takeCount(&cursor)
    let before = record.bytes.count
    if !Self.takeBinary(&cursor, into: &record.bytes) {
      HexRow.take(&cursor, upTo: Self.width(cursor.rest), into: &record.bytes)
    }
    let count = record.bytes.count - before
    // Text follows a tab, two blanks or a full row.
    let isEnded = cursor.peek() == 0x09 || cursor.skipBlanks() > 1 || count >= 16 || cursor.isAtEnd
    guard count > 0, isEnded else {
      throw CaptureError(
        at: cursor.place, "expected a row of bytes such as 58 31 2E, or a line with a time")
    }
    try record.checkLength(line)
    while counts.count <= record.port { counts.append(nil) }
    counts[record.port] = counts[record.port].map { $0 + Int64(count) }
  }

  /// Takes the number of bytes before a row, if it is there. Fails if rows are missing.
  private mutating func takeCount(_ cursor: inout LineCursor) throws(CaptureError) {
    var next = cursor
    var value: Int64 = 0
    while let digit = next.peek()?.hexDigit, next.position < 15 {
      value = value << 4 | Int64(digit)
      next.position += 1
    }
    guard next.position >= 8, next.take(0x09) else { return }
    cursor = next
    while counts.count <= record.port { counts.append(nil) }
    defer { counts[record.port] = value }
    // A log that was appended to begins at 0 again.
    guard let expected = counts[record.port], value != expected, value != 0, !isLossy else {
      return
    }
    throw CaptureError(
      at: .line(cursor.number),
      "expected the byte count \(String(expected, radix: 16)), found "
        + "\(String(value, radix: 16)): rows are missing. Record again, or accept the loss with "
        + "--lossy")
  }

  /// Takes bytes of eight binary digits. Returns false, and takes nothing, if the first is none.
  private static func takeBinary(_ cursor: inout LineCursor, into bytes: inout [UInt8]) -> Bool {
    var count = 0
    while true {
      var next = cursor
      guard count == 0 || next.take(0x20) else { return true }
      var value: UInt8 = 0
      for _ in 0..<8 {
        guard let digit = next.peek(), digit | 1 == 0x31 else { return count > 0 }
        value = value << 1 | digit & 1
        next.position += 1
      }
      guard next.peek()?.hexDigit == nil else { return count > 0 }
      bytes.append(value)
      cursor = next
      count += 1
    }
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) { try finish(give) }

  private mutating func finish(_ give: LogRecord.Take) throws(CaptureError) {
    guard !record.bytes.isEmpty else { return }
    if let stamp = record.stamp { previous = (stamp, record.port, record.bytes.count) }
    try record.finish(give)
  }

  /// Returns how many bytes a row can have, since text that looks like more bytes can follow them:
  /// all up to a tab or the line's end if nothing else is before it, otherwise 16.
  private static func width(_ line: UnsafeRawBufferPointer) -> Int {
    var cursor = LineCursor(line)
    let bytes = cursor.takeText(upTo: 0x09)
    return HexRow.count(LineCursor(bytes)) ?? 16
  }

  /// Parses `2026-01-31 12:00:00.123456: NAME`.
  private static func head(_ line: LineCursor) -> (stamp: Int64, name: UnsafeRawBufferPointer)? {
    var cursor = line
    guard let seconds = CivilTime.takeDateAndTime(&cursor, 0x2d), cursor.take(0x2e),
      let fraction = cursor.takeFraction(), cursor.take(0x3a)
    else { return nil }
    return (seconds + fraction.billionths, cursor.rest.trimmed)
  }
}
