import Traces

/// What pySerial's `spy://PORT?file=LOG` writes: `000001.303 TX   0000  58 39 30 2E   X90.`, with
/// 16 bytes in a row and an extra blank after the eighth. `TX` is to the board. The time is since
/// the port was opened, in milliseconds.
///
/// Source of the format: pySerial 3.5. `color` adds escape codes, `all` empty reads.
///
/// | `pyserial-spy` | pySerial's `spy://` | 1 ms | 2 ms |
struct PyserialSpyLog: LineLogReader {
  static let format = LogFormat(
    kind: .pyserialSpy, source: "pySerial spy", clock: .absolute(isEpoch: false),
    resolution: 1_000_000, uncertainty: 2_000_000, keepsZero: true, slack: 2_000_000)

  private(set) var notes: [String] = []

  private var record = LogRecord()
  private var foreign: ForeignLines

  init(_ options: CaptureOptions) { foreign = ForeignLines(options) }

  /// Whether a line is an entry of the log.
  static func recognizes(_ line: LineCursor) -> Bool {
    var cursor = line
    guard takeTime(&cursor) != nil else { return false }
    let label = cursor.takeText(upTo: 0x20)
    let labels: [StaticString] = [
      "TX", "RX", "Q-RX", "Q-TX", "BRK", "RTS", "DTR", "CTS", "DSR", "RI", "CD", "FLSH",
    ]
    return labels.contains { label.isEqual(to: $0) }
  }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    try foreign.check()
    var cursor = line
    let time = Self.takeTime(&cursor)
    guard time != nil, let direction = cursor.takeDirection("TX   ", "RX   ") else {
      // A control line, or a flush.
      if Self.recognizes(line), !cursor.take("TX"), !cursor.take("RX") { return }
      foreign.take(line, expected: "an entry such as 000001.303 TX   0000  58 39 30 2E")
      return
    }
    foreign.takeOwn()
    guard !cursor.take("<empty>") else { return }
    var offset: Int64 = 0
    let place = cursor.place
    while let digit = cursor.peek()?.hexDigit, offset < 1 << 40 {
      offset = offset << 4 | Int64(digit)
      cursor.position += 1
    }
    guard cursor.take("  ") else {
      throw CaptureError(
        at: place, "expected an offset such as 0000 and bytes as hexadecimal numbers")
    }
    if offset == 0 {
      try record.finish(give)
      record.begin(time, direction, at: line.place)
    } else if offset != Int64(record.bytes.count) || direction != record.direction {
      throw CaptureError(
        at: place,
        "expected the next row of the bytes above it, found another offset: rows are missing")
    }
    let row = cursor.position
    let before = record.bytes.count
    for index in 0..<16 {
      cursor.position = row + index * 3 + (index >= 8 ? 1 : 0)
      if let byte = cursor.takeHexByte() {
        record.bytes.append(byte)
        continue
      }
      if let other = cursor.peek(), other != 0x20 {
        record.bytes.removeLast(record.bytes.count - before)
        foreign.take(line, expected: "a row of bytes such as 58 39 30 2E")
      }
      break
    }
    try record.checkLength(line)
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    try record.finish(give)
    notes += try foreign.end(isCut: isCut)
  }

  /// Takes `000001.303 `, with escape codes before it.
  private static func takeTime(_ cursor: inout LineCursor) -> Int64? {
    while cursor.take(0x1b) {
      _ = cursor.takeText(upTo: 0x6d)
      _ = cursor.take(0x6d)
    }
    let start = cursor.position
    guard let seconds = cursor.takeNumber(), cursor.position - start >= 6, seconds < 4_000_000_000,
      cursor.take(0x2e), let fraction = cursor.takeFraction(), fraction.digits == 3,
      cursor.take(0x20)
    else { return nil }
    return seconds * CivilTime.second + fraction.billionths
  }
}
