import Traces

/// What ser2net's `trace-both` with `trace-both-hexdump` and `trace-both-timestamp` writes:
/// `2026/01/31 12:00:00 tcp  58 39 30 2e  |X90.|`, at most eight bytes a line. `tcp` is from the
/// network to the board, `term` from the board.
///
/// Source of the format: ser2net 4.3.11.
///
/// | `ser2net` | `trace-both` with a timestamp | 1 s | 1 s |
struct Ser2netLog: LineLogReader {
  static let format = LogFormat(
    kind: .ser2net, source: "ser2net", clock: .local, resolution: CivilTime.second,
    uncertainty: CivilTime.second)

  private(set) var notes: [String] = []

  private var record = LogRecord()
  /// Whether the last line was full, so that the next one can continue it.
  private var isFull = false
  private var foreign: ForeignLines

  init(_ options: CaptureOptions) { foreign = ForeignLines(options) }

  /// Whether a line is an entry of the log.
  static func recognizes(_ line: LineCursor) -> Bool {
    var cursor = line
    if CivilTime.takeDateAndTime(&cursor) != nil { guard cursor.take(0x20) else { return false } }
    guard cursor.take("tcp  ") || cursor.take("term ") else { return false }
    return cursor.takeHexByte() != nil && line.bytes.last == 0x7c
  }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    try foreign.check()
    var cursor = line
    let stamp = CivilTime.takeDateAndTime(&cursor)
    if stamp != nil { _ = cursor.take(0x20) }
    guard let direction = cursor.takeDirection("tcp  ", "term ") else {
      // A connection's beginning and end, such as `OPEN (ipv4,127.0.0.1,53256)`.
      if cursor.take("OPEN ") || cursor.take("CLOSE ") { return }
      foreign.take(line, expected: "an entry such as 2026/01/31 12:00:00 tcp  58 39  |X9|")
      return
    }
    if !isFull || direction != record.direction || stamp != record.stamp {
      try record.finish(give)
      record.begin(stamp, direction, at: line.place)
    }
    let before = record.bytes.count
    HexRow.take(&cursor, upTo: 8, into: &record.bytes)
    isFull = record.bytes.count - before == 8
    try record.checkLength(line)
    guard record.bytes.count > before else {
      throw CaptureError(
        at: cursor.place, "expected bytes as hexadecimal numbers. Record with trace-both-hexdump")
    }
    cursor.skipBlanks()
    if !cursor.take(0x7c) {
      record.bytes.removeLast(record.bytes.count - before)
      isFull = false
      foreign.take(line, expected: "a row of bytes and their characters between |")
    }
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    try record.finish(give)
    notes += try foreign.end(isCut: isCut)
  }
}
