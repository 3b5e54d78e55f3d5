import Traces

/// What `interceptty` writes: `[03:30 05.158883]< 0x58 (X)`, one byte a line. `<` is to the board.
/// Only the first byte of a block has a stamp; the others have blanks in its place. Without `-T`
/// there are no stamps. With `-e` the bytes of a line are `58(X):31(1)`.
///
/// Source of the format: interceptty 0.6 and its fork at geoffmeyers/interceptty.
///
/// | `interceptty` | `interceptty -T` | 1 us | 2 ms |
struct InterceptTTYLog: LineLogReader {
  static let format = LogFormat(
    kind: .interceptty, source: "interceptty", clock: .timeOfDay)

  let ports = [LogPort(name: "")]
  let resolution: Int64 = 1_000
  let uncertainty: Int64 = 2_000_000
  private(set) var notes: [String] = []
  private(set) var clock = format.clock

  private var record = LogRecord()
  private var foreign: ForeignLines

  init(_ options: CaptureOptions) { foreign = ForeignLines(options) }

  /// Whether a line is a byte of the log.
  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool {
    var reader = InterceptTTYLog(CaptureOptions())
    var cursor = LineCursor(line)
    guard reader.takeStamp(&cursor) != nil, Self.takeArrow(&cursor) != nil else { return false }
    var bytes: [UInt8] = []
    return takeBytes(&cursor, into: &bytes) && !bytes.isEmpty
  }

  mutating func take(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    try foreign.check()
    var cursor = LineCursor(line)
    guard let (stamp, isIndented) = takeStamp(&cursor), let direction = Self.takeArrow(&cursor)
    else {
      // Its last words, if the log is its standard error too.
      if line.starts(with: "Backend device was closed") { return }
      foreign.take(line, number, expected: "a byte such as [03:30 05.158883]< 0x58 (X)")
      return
    }
    var bytes: [UInt8] = []
    guard Self.takeBytes(&cursor, into: &bytes), !bytes.isEmpty else {
      foreign.take(line, number, expected: "a byte such as 0x58 (X)")
      return
    }
    // Blanks in place of a stamp continue the block above.
    if stamp == nil, isIndented, !record.bytes.isEmpty, record.direction == direction,
      record.stamp != nil
    {
      record.bytes += bytes
      try record.checkLength(number)
      return
    }
    try record.finish(give)
    record.stamp = stamp
    record.clock = clock
    record.direction = direction
    record.place = .line(number, column: 1)
    record.bytes = bytes
  }

  mutating func end(
    isCut: Bool, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    try record.finish(give)
    notes += try foreign.end(isCut: isCut)
  }

  /// Takes a stamp, or the blanks in its place. Nil if the line begins with something else.
  private mutating func takeStamp(
    _ cursor: inout LineCursor
  ) -> (stamp: Int64?, isIndented: Bool)? {
    let blanks = cursor.skipBlanks()
    guard cursor.take(0x5b) else { return (nil, blanks > 0) }
    let start = cursor.position
    if let hour = cursor.takeDigits(2), cursor.take(0x3a), let minute = cursor.takeDigits(2),
      cursor.take(0x20), let second = cursor.takeDigits(2), cursor.take(0x2e),
      let fraction = cursor.takeFraction(), cursor.take(0x5d), hour < 24, minute < 60, second <= 60
    {
      cursor.skipBlanks()
      clock = .timeOfDay
      let seconds = (hour * 60 + minute) * 60 + second
      return (seconds * CivilTime.second + fraction.billionths, false)
    }
    // The fork prints the last eight digits of the seconds since 1970; two more repeat the last.
    cursor.position = start
    guard let seconds = cursor.takeDigits(8) else { return nil }
    while cursor.peek()?.decimalDigit != nil { cursor.position += 1 }
    guard cursor.take(0x3a), let fraction = cursor.takeFraction(), cursor.take(0x5d) else {
      return nil
    }
    cursor.skipBlanks()
    clock = .absolute(isEpoch: false)
    return (seconds * CivilTime.second + fraction.billionths, false)
  }

  private static func takeArrow(_ cursor: inout LineCursor) -> Event.Line? {
    guard let direction = cursor.takeDirection("< ", "> ") else { return nil }
    cursor.skipBlanks()
    return direction
  }

  /// Takes `0x58 (X)`, or `58(X):31(1)`. The text in the parentheses is not escaped, and is
  /// ignored.
  private static func takeBytes(_ cursor: inout LineCursor, into bytes: inout [UInt8]) -> Bool {
    if cursor.take("0x") {
      guard let byte = cursor.takeHexByte() else { return false }
      bytes.append(byte)
      return cursor.isAtEnd || cursor.peek() == 0x20
    }
    while !cursor.isAtEnd {
      guard let byte = cursor.takeHexByte() else { return false }
      bytes.append(byte)
      if cursor.take(0x28) {
        if cursor.peek() == 0x5b, cursor.peek(1) != 0x29 {
          _ = cursor.takeText(upTo: 0x5d)
        } else if cursor.peek() == 0x27 {
          cursor.position += 2
        }
        cursor.position = min(cursor.position + 1, cursor.bytes.count)
        guard cursor.take(0x29) else { return false }
      }
      guard cursor.isAtEnd || cursor.take(0x3a) else { return false }
    }
    return true
  }
}
