import Traces

/// What Eltima's Serial Port Monitor exports as a dump: `[31/01/2026 12:00:00] Written data
/// (COM3)`, followed by indented rows of bytes with their text. `Written` is to the board. The
/// order of day and month is the computer's own; the trial version prints `[00/00/0000 00:00:00]`.
///
/// Source of the format: public logs.
///
/// | `serial-port-monitor` | Serial Port Monitor's dump | 1 s | 1 s |
struct SerialPortMonitorLog: LineLogReader {
  static let format = LogFormat(
    kind: .serialPortMonitor, source: "Serial Port Monitor", clock: .local,
    resolution: CivilTime.second, uncertainty: CivilTime.second, canHaveColors: false)

  private(set) var ports: [LogPort] = []
  private var record = LogRecord()
  /// Whether the rows below belong to a record.
  private var isOpen = false
  /// Whether the month comes before the day, once a date shows it.
  private var monthIsFirst = false

  init(_ options: CaptureOptions) {}

  /// Whether a line is the head of a record.
  static func recognizes(_ line: LineCursor) -> Bool { head(line) != nil }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    if let head = Self.head(line) {
      try record.finish(give)
      let port = try ports.index(of: head.port.name, at: line.place)
      record.begin(stamp(head), head.direction, port: port, at: line.place)
      isOpen = true
      return
    }
    guard isOpen else { return }
    var cursor = line
    if cursor.skipBlanks() == 0 {
      isOpen = false
      return
    }
    HexRow.take(&cursor, upTo: 16, into: &record.bytes)
    try record.checkLength(line)
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    try record.finish(give)
  }

  // MARK: Heads

  private struct Head {
    /// The date's numbers in the log's order.
    var date: (Int64, Int64, Int64)
    var timeOfDay: Int64
    var direction: Event.Line
    var port: UnsafeRawBufferPointer
  }

  private static func head(_ line: LineCursor) -> Head? {
    var cursor = line
    cursor.skipBlanks()
    guard cursor.take(0x5b), let first = cursor.takeDigits(2),
      cursor.take(0x2f) || cursor.take(0x2e), let second = cursor.takeDigits(2),
      cursor.take(0x2f) || cursor.take(0x2e), let year = cursor.takeDigits(4), cursor.take(0x20),
      let timeOfDay = CivilTime.takeTimeOfDay(&cursor), cursor.take("] ")
    else { return nil }
    guard let direction = cursor.takeDirection("Written data (", "Read data (") else { return nil }
    let port = cursor.takeText(upTo: 0x29)
    return Head(date: (first, second, year), timeOfDay: timeOfDay, direction: direction, port: port)
  }

  /// Returns a record's time, or nil for the zeros of the trial version.
  private func stamp(_ head: Head) -> Int64? {
    let (first, second, year) = head.date
    return CivilTime.nanoseconds(
      year, monthIsFirst ? first : second, monthIsFirst ? second : first,
      timeOfDay: head.timeOfDay)
  }

  /// Finds out whether the month comes first: it does if the second number of a date is over 12.
  mutating func begin(_ file: CaptureFile) throws(CaptureError) {
    monthIsFirst = false
    var lines = CaptureLines(file)
    while lines.number < 65_536, let line = try lines.next() {
      guard let head = Self.head(LineCursor(line)) else { continue }
      if head.date.0 > 12 { return }
      if head.date.1 > 12 {
        monthIsFirst = true
        return
      }
    }
  }
}
