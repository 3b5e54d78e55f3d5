import Traces

/// What Sysinternals Portmon saves: columns separated by tabs: number, time, process, request,
/// port, result, and `Length 4: 02 00 00 02`. The time is how long the request took, unless the
/// clock time was chosen.
///
/// Source of the format: public logs.
///
/// | `portmon` | Portmon with its clock | 1 s | 1 s |
struct PortmonLog: LineLogReader {
  static let format = LogFormat(
    kind: .portmon, source: "Portmon", clock: .timeOfDay, resolution: CivilTime.second,
    uncertainty: CivilTime.second)

  private(set) var ports: [LogPort] = []
  private var record = LogRecord()

  init(_ options: CaptureOptions) {}

  /// Whether a line is a request that read or wrote.
  static func recognizes(_ line: LineCursor) -> Bool { request(line) != nil }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    guard case (let stamp, let direction, var cursor)? = Self.request(line) else { return }
    let name = cursor.takeText(upTo: 0x09).trimmed.name
    _ = cursor.take(0x09)
    _ = cursor.takeText(upTo: 0x09)
    _ = cursor.take(0x09)
    // A request that was only begun has no length.
    guard cursor.take("Length "), let length = cursor.takeNumber(), cursor.take(0x3a) else {
      return
    }
    cursor.skipBlanks()
    let port = try ports.index(of: name, at: line.place)
    record.bytes.removeAll(keepingCapacity: true)
    HexRow.take(&cursor, upTo: Int(min(length, 1 << 24)), into: &record.bytes)
    guard length > 0 else { return }
    record.missing = min(length - Int64(record.bytes.count), LogRecord.missingMax)
    record.begin(stamp, direction, port: port, at: line.place)
    try give(record)
  }

  /// Finds the columns up to the request. The cursor is at the port's column.
  private static func request(
    _ line: LineCursor
  ) -> (stamp: Int64?, direction: Event.Line, cursor: LineCursor)? {
    var cursor = line
    var stamp: Int64?
    for _ in 0..<5 {
      if cursor.take("IRP_MJ_WRITE\t") { return (stamp, .rx, cursor) }
      if cursor.take("IRP_MJ_READ\t") { return (stamp, .tx, cursor) }
      let column = cursor.takeText(upTo: 0x09)
      guard cursor.take(0x09) else { return nil }
      var time = LineCursor(column.trimmed)
      if let seconds = CivilTime.takeTimeOfDay(&time), time.isAtEnd { stamp = seconds }
    }
    return nil
  }
}
