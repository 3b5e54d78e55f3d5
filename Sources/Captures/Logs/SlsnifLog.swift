import Traces

/// What `slsnif -t` writes: a line with the date, and `Host   --> X (58) 9 (39)` below it, where
/// the numbers in the parentheses are hexadecimal with `-x` and decimal without it; with `-d`, rows
/// of up to sixteen bytes with their characters, where `       --> ` begins every row but the
/// first. `Host` is to the board. `-b` adds `Total bytes transmitted: 4`.
///
/// The fraction of a second is the milliseconds without leading zeros, cut after two digits: `.76`
/// is 760 to 769 ms, or 76 ms. The records of the same second show which, as their times do not
/// decrease.
///
/// Source of the format: slsnif 0.4.4.
///
/// | `slsnif` | `slsnif -t` | 10 ms | 12 ms |
struct SlsnifLog: LineLogReader {
  static let format = LogFormat(
    kind: .slsnif, source: "slsnif", clock: .local, canHaveColors: false)

  /// The most records that wait for the second's end.
  private static let waitingMax = 20_000
  private static let waitingBytesMax = 4 << 20

  let ports = [LogPort(name: "")]
  private(set) var resolution: Int64 = 10_000_000
  var uncertainty: Int64 { resolution + 2_000_000 }
  private(set) var notes: [String] = []

  private var record = LogRecord()
  private var stamp: Stamp?
  /// Whether bytes came before.
  private var hasBegun = false
  /// What is wrong with the last line, which can have been cut off.
  private var failure: CaptureError?
  private var waiting: [(record: LogRecord, stamp: Stamp)] = []
  private var waitingBytes = 0

  private struct Stamp {
    var second: Int64
    /// In milliseconds; the larger of the two readings if it is ambiguous.
    var fraction: Int64
    /// Whether it could also be a tenth of that.
    var isAmbiguous: Bool
  }

  init(_ options: CaptureOptions) {}

  /// Whether a line has bytes of the log.
  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool {
    var cursor = LineCursor(line)
    skipColor(&cursor)
    var bytes: [UInt8] = []
    return takeArrow(&cursor) != nil && takeBytes(&cursor, into: &bytes)
  }

  mutating func take(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    if let failure { throw failure }
    do throws(CaptureError) {
      try parse(line, number, give)
    } catch {
      // Records before this line can fail too, by their times.
      guard case .line(number, _) = error.place else { throw error }
      failure = error
    }
  }

  private mutating func parse(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    var cursor = LineCursor(line)
    Self.skipColor(&cursor)
    if let next = Self.takeStamp(&cursor) {
      try finish(give)
      stamp = next.stamp
      if !next.hasFraction { resolution = CivilTime.second }
      // A colour can follow, and then the bytes on the same line.
      while cursor.take(0x00) {}
      Self.skipColor(&cursor)
    }
    let column = cursor.column
    if let direction = Self.takeArrow(&cursor) {
      try finish(give)
      hasBegun = true
      record.direction = direction
      record.place = .line(number, column: 1)
      guard Self.takeBytes(&cursor, into: &record.bytes) else { throw Self.noBytes(number, cursor) }
    } else if !record.bytes.isEmpty, cursor.take("       --> ") || cursor.take("           ") {
      guard Self.takeBytes(&cursor, into: &record.bytes) else { throw Self.noBytes(number, cursor) }
      try record.checkLength(number)
    } else if !record.bytes.isEmpty, cursor.take("Total bytes transmitted: ") {
      let total = cursor.takeNumber() ?? 0
      guard total >= record.bytes.count else {
        throw CaptureError(
          .malformed, at: .line(number, column: column),
          "expected a total of \(record.bytes.count), as many as the bytes above, found \(total)")
      }
      record.missing = min(total - Int64(record.bytes.count), LogRecord.missingMax)
      try finish(give)
    } else if hasBegun, !cursor.rest.trimmed.isEmpty, !Self.isMessage(cursor.rest) {
      throw CaptureError(
        .malformed, at: .line(number, column: column),
        "expected a date, or bytes after \"Host   --> \" or \"Device --> \"")
    }
  }

  private static func noBytes(_ number: Int, _ cursor: LineCursor) -> CaptureError {
    CaptureError(
      .malformed, at: .line(number, column: cursor.column),
      "expected bytes such as X (58), or a row of hexadecimal numbers and their characters")
  }

  /// Whether a line is a message that slsnif prints between the bytes if it has no log file.
  private static func isMessage(_ line: UnsafeRawBufferPointer) -> Bool {
    let messages: [StaticString] = [
      "Synchronizing ports", "Serial Line Sniffer", "\tCopyright", "Started logging", "Opened ",
      "Saved name", "Baudrate is set",
    ]
    return messages.contains { line.starts(with: $0) }
  }

  mutating func end(
    isCut: Bool, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    if let failure {
      guard isCut else { throw failure }
      self.failure = nil
      record.bytes = []
      notes.append("The log ends within a line; its record was left out.")
    }
    try finish(give)
    try release(give)
  }

  private mutating func finish(
    _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    guard !record.bytes.isEmpty else { return }
    defer {
      record.bytes = []
      record.missing = 0
    }
    guard let stamp else {
      try give(record)
      return
    }
    if let first = waiting.first,
      first.stamp.second != stamp.second || waiting.count >= Self.waitingMax
        || waitingBytes > Self.waitingBytesMax
    {
      try release(give)
    }
    waiting.append((record, stamp))
    waitingBytes += record.bytes.count
  }

  /// Passes on the records of a second. The later reading of the last one counts, and for each of
  /// the others the latest one that is not after the next record.
  private mutating func release(
    _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    var next: Int64 = 1_000
    for index in waiting.indices.reversed() {
      let stamp = waiting[index].stamp
      var milliseconds = stamp.fraction
      if stamp.isAmbiguous, milliseconds > next { milliseconds /= 10 }
      next = milliseconds
      waiting[index].record.stamp = stamp.second + milliseconds * 1_000_000
    }
    for (record, _) in waiting { try give(record) }
    waiting.removeAll(keepingCapacity: true)
    waitingBytes = 0
  }

  // MARK: Grammar

  private static func skipColor(_ cursor: inout LineCursor) {
    while cursor.take(0x1b) {
      _ = cursor.takeText(upTo: 0x6d)
      _ = cursor.take(0x6d)
    }
  }

  private static func takeArrow(_ cursor: inout LineCursor) -> Event.Line? {
    cursor.take("Host   --> ") ? .rx : cursor.take("Device --> ") ? .tx : nil
  }

  /// Takes `Sun Nov 22 03:31:30.76 2026`.
  private static func takeStamp(
    _ cursor: inout LineCursor
  ) -> (stamp: Stamp, hasFraction: Bool)? {
    var next = cursor
    let weekday = next.takeText(upTo: 0x20)
    guard weekday.count == 3, next.take(0x20),
      let month = CivilTime.month(next.takeText(upTo: 0x20)), next.skipBlanks() > 0,
      let day = next.takeNumber(), next.take(0x20),
      let timeOfDay = CivilTime.takeTimeOfDay(&next)
    else { return nil }
    var fraction: Int64 = 0
    var isAmbiguous = false
    let hasFraction = next.take(0x2e)
    if hasFraction {
      let isPadded = next.take(0x20)
      guard let number = next.takeNumber(), number < 100 else { return nil }
      isAmbiguous = !isPadded && number >= 10
      fraction = isAmbiguous ? number * 10 : number
    }
    guard next.take(0x20), let year = next.takeDigits(4),
      let second = CivilTime.nanoseconds(year, month, day, timeOfDay: timeOfDay)
    else { return nil }
    cursor = next
    return (Stamp(second: second, fraction: fraction, isAmbiguous: isAmbiguous), hasFraction)
  }

  /// Takes `X (58) <LF> (0a)`, `X (088)`, or a row of hexadecimal numbers in groups of four, and
  /// what follows up to the line's end. Returns false, with the cursor at what is something else.
  private static func takeBytes(_ cursor: inout LineCursor, into bytes: inout [UInt8]) -> Bool {
    let before = bytes.count
    while !cursor.isAtEnd {
      guard let byte = takeNamed(&cursor) else { break }
      bytes.append(byte)
    }
    if bytes.count > before {
      skipColor(&cursor)
      cursor.skipBlanks()
      return cursor.isAtEnd
    }
    let row = cursor.position
    for group in 0..<4 {
      if group > 0, !cursor.take("  ") { break }
      let count = bytes.count
      HexRow.take(&cursor, upTo: 4, into: &bytes)
      guard bytes.count == count + 4 else { break }
    }
    let count = bytes.count - before
    return count > 0 && takeCharacters(&cursor, of: bytes.suffix(count), at: row + 52)
  }

  /// Takes the characters of a row's bytes, from their column on. Spaces at the end can be missing.
  private static func takeCharacters(
    _ cursor: inout LineCursor, of bytes: ArraySlice<UInt8>, at column: Int
  ) -> Bool {
    while cursor.position < column, !cursor.isAtEnd {
      guard cursor.take(0x20) else { return false }
    }
    for byte in bytes {
      guard let character = cursor.peek() else { return true }
      let isPrinted = (0x20...0x7e).contains(byte)
      guard character == byte || !isPrinted && character == 0x2e else { return false }
      cursor.position += 1
    }
    skipColor(&cursor)
    cursor.skipBlanks()
    return cursor.isAtEnd
  }

  /// Takes a character or its name, and returns the number in parentheses that follows.
  private static func takeNamed(_ cursor: inout LineCursor) -> UInt8? {
    var next = cursor
    if next.peek() == 0x3c, next.peek(1) != 0x20 {
      _ = next.takeText(upTo: 0x3e)
    }
    next.position += 1
    // A character beyond ASCII has several bytes if the log was converted to UTF-8.
    while let byte = next.peek(), byte & 0xc0 == 0x80 { next.position += 1 }
    guard next.take(" (") else { return nil }
    let start = next.position
    let byte: UInt8
    if let hexadecimal = next.takeHexByte(), next.take(0x29) {
      byte = hexadecimal
    } else {
      next.position = start
      guard let number = next.takeDigits(3), number < 256, next.take(0x29) else { return nil }
      byte = UInt8(number)
    }
    _ = next.take(0x20)
    cursor = next
    return byte
  }
}
