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
    kind: .serialPortMonitor, source: "Serial Port Monitor", clock: .local, portNoun: "port")
  private static let portsMax = 64

  private(set) var ports: [LogPort] = []
  let resolution = CivilTime.second
  let uncertainty = CivilTime.second
  let notes: [String] = []

  private var record = LogRecord()
  /// Whether the rows below belong to a record.
  private var isOpen = false
  /// Whether the month comes before the day, once a date shows it.
  private var monthIsFirst = false

  init(_ options: CaptureOptions) {}

  /// Whether a line is the head of a record.
  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool {
    head(LineCursor(line)) != nil
  }

  mutating func read(
    _ files: [CaptureFile], _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    for file in files {
      try findOrder(file)
      var lines = CaptureLines(file)
      while let line = try lines.next() { try take(line, lines.number, give) }
      try end(isCut: lines.endsWithoutNewline, give)
    }
  }

  mutating func take(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    var cursor = LineCursor(line)
    if let head = Self.head(cursor) {
      try finish(give)
      guard let port = port(head.port.name) else {
        throw CaptureError(
          .malformed, at: .line(number, column: 1),
          "expected at most \(Self.portsMax) ports, found more")
      }
      record.stamp = stamp(head)
      record.direction = head.direction
      record.port = port
      record.place = .line(number, column: 1)
      isOpen = true
      return
    }
    guard isOpen else { return }
    if cursor.skipBlanks() == 0 {
      isOpen = false
      return
    }
    HexRow.take(&cursor, upTo: 16, into: &record.bytes)
    try record.checkLength(number)
  }

  mutating func end(
    isCut: Bool, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) { try finish(give) }

  private mutating func finish(
    _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard !record.bytes.isEmpty else { return }
    try give(record)
    record.bytes.removeAll(keepingCapacity: true)
  }

  private mutating func port(_ name: String) -> Int? {
    if let index = ports.firstIndex(where: { $0.name == name }) { return index }
    guard ports.count < Self.portsMax else { return nil }
    ports.append(LogPort(name: name))
    return ports.count - 1
  }

  // MARK: Heads

  private struct Head {
    /// The date's numbers in the log's order.
    var date: (Int64, Int64, Int64)
    var timeOfDay: Int64
    var direction: Event.Line
    var port: UnsafeRawBufferPointer
  }

  private static func head(_ start: LineCursor) -> Head? {
    var cursor = start
    cursor.skipBlanks()
    guard cursor.take(0x5b), let first = cursor.takeDigits(2),
      cursor.take(0x2f) || cursor.take(0x2e), let second = cursor.takeDigits(2),
      cursor.take(0x2f) || cursor.take(0x2e), let year = cursor.takeDigits(4), cursor.take(0x20),
      let timeOfDay = CivilTime.takeTimeOfDay(&cursor), cursor.take("] ")
    else { return nil }
    let direction: Event.Line
    if cursor.take("Written data (") {
      direction = .rx
    } else if cursor.take("Read data (") {
      direction = .tx
    } else {
      return nil
    }
    let port = cursor.takeText(upTo: 0x29)
    return Head(
      date: (first, second, year), timeOfDay: timeOfDay, direction: direction, port: port)
  }

  /// Returns a record's time, or nil for the zeros of the trial version.
  private func stamp(_ head: Head) -> Int64? {
    let (first, second, year) = head.date
    return CivilTime.nanoseconds(
      year, monthIsFirst ? first : second, monthIsFirst ? second : first,
      timeOfDay: head.timeOfDay)
  }

  /// Finds out whether the month comes first: it does if the second number of a date is over 12.
  private mutating func findOrder(_ file: CaptureFile) throws(CaptureError) {
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
