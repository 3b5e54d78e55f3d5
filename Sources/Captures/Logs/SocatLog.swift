import Traces

/// What `socat -x`, `-x -v` and `-v` write to standard error. A block is
/// `> 2026/01/31 12:00:00.123456  length=3 from=0 to=2`, then its bytes: with `-x` all on one line,
/// with `-x -v` in rows of at most 16 that break after a newline, with `-v` as text. `>` is from
/// socat's first address, which is taken as the sender's.
///
/// Source of the format: socat 1.7.3.3 and 1.7.4.4, and public logs since 2015.
///
/// | `socat` | `socat -x -v` | 1 us | 2 ms |
struct SocatLog: LineLogReader {
  static let format = LogFormat(
    kind: .socat, source: "socat", clock: .local, uncertainty: 2_000_000, canHaveColors: false)

  /// The most bytes in a block: `-b` sets it, and 8 192 is the default.
  private static let lengthMax: Int64 = 1 << 24

  private(set) var resolution: Int64 = 1_000
  private(set) var notes: [String] = []

  private let isLossy: Bool
  private var record = LogRecord()
  /// How many bytes of the block are still to come; 0 between blocks.
  private var remaining = 0
  private var line = 0
  /// Whether blocks are text, once the first line of one shows it.
  private var isText: Bool?
  /// What the nine digits of a fraction are: microseconds if all of them begin with `000`, as in
  /// 1.7.4.
  private var nineDigits = NineDigits.microseconds
  private var cachedDate: DateText?
  private var cachedSeconds: Int64 = 0

  private enum NineDigits { case microseconds, nanoseconds }

  /// The text of a date and a time to whole seconds, `2026/01/31 12:00:00`, for a fast comparison.
  private struct DateText: Equatable {
    static let length = 19

    private let start: UInt64
    private let middle: UInt64
    private let end: UInt32

    init?(_ cursor: LineCursor) {
      guard cursor.bytes.count - cursor.position >= Self.length else { return nil }
      start = cursor.bytes.loadUnaligned(fromByteOffset: cursor.position, as: UInt64.self)
      middle = cursor.bytes.loadUnaligned(fromByteOffset: cursor.position + 8, as: UInt64.self)
      end = cursor.bytes.loadUnaligned(fromByteOffset: cursor.position + 15, as: UInt32.self)
    }
  }

  init(_ options: CaptureOptions) { isLossy = options.isLossy }

  /// Finds out what nine digits of a fraction mean in a file. Only one in a thousand real
  /// nanosecond counts begins with `000`, so the first lines are enough.
  mutating func begin(_ file: CaptureFile) throws(CaptureError) {
    nineDigits = .microseconds
    var lines = CaptureLines(file)
    while lines.number < 4_096, let line = try lines.next() {
      guard line.count > 30 else { continue }
      var cursor = LineCursor(line)
      guard Self.takeDirection(&cursor) != nil, takeSeconds(&cursor) != nil, cursor.take(0x2e),
        let fraction = cursor.takeFraction(), fraction.digits == 9
      else { continue }
      if fraction.billionths >= 1_000_000 {
        nineDigits = .nanoseconds
        resolution = 1
        return
      }
    }
  }

  /// Whether a line is the head of a block.
  static func recognizes(_ line: LineCursor) -> Bool {
    var reader = SocatLog(CaptureOptions())
    return (try? reader.takeHead(line)) ?? false
  }

  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    if remaining > 0 {
      if isText == nil { isText = !isHex(line) }
      if isText == true {
        try takeText(line, give)
      } else {
        try takeRow(line, give)
      }
    } else if line.bytes.count > 2 {
      _ = try takeHead(line)
    }
  }

  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {
    if remaining > 0 {
      notes.append(
        "The log ends within a block that begins at line \(line); that block was left out.")
    }
    remaining = 0
  }

  // MARK: Heads

  /// Takes a block's head. What standard output printed before it on the same line is skipped.
  /// Returns false if the line is not a head.
  private mutating func takeHead(_ start: LineCursor) throws(CaptureError) -> Bool {
    var cursor = start
    guard let direction = Self.takeDirection(&cursor) else { return false }
    guard let seconds = takeSeconds(&cursor), cursor.take(0x2e),
      let fraction = cursor.takeFraction(), cursor.skipBlanks() > 0, cursor.take("length="),
      let length = cursor.takeNumber(), cursor.take(" from="), cursor.takeNumber() != nil
    else { return false }
    guard (1...Self.lengthMax).contains(length) else {
      throw CaptureError(
        at: .line(start.number),
        "expected a block of 1 to \(Self.lengthMax) bytes, found length=\(length)")
    }
    record.begin(
      seconds + nanoseconds(fraction.billionths, fraction.digits), direction,
      at: .line(start.number))
    record.bytes.removeAll(keepingCapacity: true)
    record.missing = 0
    remaining = Int(length)
    line = start.number
    return true
  }

  /// Takes `> ` or `< ` if a date follows.
  private static func takeDirection(_ cursor: inout LineCursor) -> Event.Line? {
    while true {
      while let byte = cursor.peek(), byte != 0x3e, byte != 0x3c { cursor.position += 1 }
      guard let arrow = cursor.peek() else { return nil }
      cursor.position += 1
      guard cursor.peek() == 0x20, cursor.peek(1)?.decimalDigit != nil, cursor.peek(5) == 0x2f
      else { continue }
      cursor.position += 1
      return arrow == 0x3e ? .rx : .tx
    }
  }

  /// Takes the date and the time to whole seconds. Most lines repeat those of the line before.
  private mutating func takeSeconds(_ cursor: inout LineCursor) -> Int64? {
    let date = DateText(cursor)
    if let date, date == cachedDate {
      cursor.position += DateText.length
      return cachedSeconds
    }
    let start = cursor.position
    guard let seconds = CivilTime.takeDateAndTime(&cursor) else { return nil }
    cachedDate = cursor.position - start == DateText.length ? date : nil
    cachedSeconds = seconds
    return seconds
  }

  private func nanoseconds(_ billionths: Int64, _ digits: Int) -> Int64 {
    guard digits == 9, nineDigits == .microseconds, billionths < 1_000_000 else {
      return billionths
    }
    return billionths * 1_000
  }

  // MARK: Bytes

  /// Whether a block's first line has its bytes as hexadecimal numbers.
  private func isHex(_ line: LineCursor) -> Bool {
    var cursor = line
    // The log can end within the first number.
    guard cursor.take(0x20) else { return line.isAtEnd }
    guard line.bytes.count >= 3 else { return true }
    return cursor.takeHexByte() != nil && (cursor.isAtEnd || cursor.peek() == 0x20)
  }

  private mutating func takeRow(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    var cursor = line
    let before = remaining
    while remaining > 0, cursor.take(0x20), let byte = cursor.takeHexByte() {
      record.bytes.append(byte)
      remaining -= 1
    }
    if remaining == before, line.bytes.count >= 3 {
      // The rest of the block is missing: other output took its place.
      record.missing = Int64(remaining)
      remaining = 0
      try give(record)
      _ = try takeHead(line)
      return
    }
    if remaining == 0 { try give(record) }
  }

  /// Takes a line of a block that `-v` alone wrote. `.` can be any byte, so this fails unless the
  /// loss is accepted.
  private mutating func takeText(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError) {
    guard isLossy else {
      throw CaptureError(
        at: line.place,
        "expected bytes as hexadecimal numbers, found text: socat -v alone prints every byte that "
          + "is not text as '.'. Record again with -x, or accept the loss with --lossy")
    }
    var cursor = line
    while remaining > 0, let byte = cursor.peek() {
      cursor.position += 1
      var byte = byte
      if byte == 0x5c, let letter = cursor.peek(), let control = letter.escapedByte {
        cursor.position += 1
        byte = control
      }
      record.bytes.append(byte)
      remaining -= 1
    }
    if remaining > 0 {
      record.bytes += [0x0a]
      remaining -= 1
    }
    guard remaining == 0 else { return }
    try give(record)
    if !cursor.isAtEnd { _ = try takeHead(cursor) }
  }
}
