import Sketches
import Traces

/// What the first pass over a log finds.
struct LogExamination {
  /// What one port carries in one direction.
  struct Side {
    var bytes: Int64 = 0
    var records = 0
    /// The earliest and the latest stamp, in nanoseconds.
    var first: Int64?
    var last: Int64 = 0
    /// When the first byte begins if a stamp is the end of a record's last byte, and when the last
    /// byte ends if it is the beginning of the first.
    var start: Int64 = .max
    var end: Int64 = 0
    /// When a line to the board has carried all bytes: a record that comes while it is busy waits.
    var carried: Int64 = 0
    var commands = CommandHint()
    var answers = GuardedAnswers()
    var framingErrors = 0
    /// How many bytes the log does not show, in how many records, and the place of the first.
    var missing: Int64 = 0
    var holes = 0
    var firstHole = CaptureError.Place.whole
    /// The first record without a time.
    var untimed: CaptureError.Place?

    fileprivate mutating func take(_ record: LogRecord, at time: Int64?, _ lengths: ByteLengths) {
      let shown = Int64(record.bytes.count)
      let count = shown + record.missing
      if let time {
        first = min(first ?? time, time)
        last = max(last, time)
        start = min(start, time - count * lengths.tx)
        end = max(end, time + count * lengths.rx)
        // Without the missing bytes: their number is the log's own statement, and has no limit.
        carried = max(carried, time) + shown * lengths.rx
      } else if untimed == nil {
        untimed = record.place
      }
      bytes += shown
      records += 1
      commands.take(record.bytes)
      for byte in record.bytes { answers.take(byte) }
      if record.hasFramingError { framingErrors += 1 }
      if record.missing > 0 {
        if holes == 0 { firstHole = record.place }
        holes += 1
        missing += record.missing
      }
    }
  }

  let format: LogFormat
  private(set) var ports: [LogPort] = []
  /// The clock that stamped the records, the resolution of its stamps and the largest error of a
  /// byte's time, both in nanoseconds.
  private(set) var stamps: (clock: LogFormat.Clock, resolution: Int64, uncertainty: Int64)
  /// The speed that the sender has set; nil if the log does not show it.
  private(set) var baud: Int?
  /// The reader's notes for the user.
  private(set) var notes: [String] = []
  /// Two for each port: to the board and from it.
  private var sides: [Side] = []
  private(set) var clock: LogClock
  /// How long a byte takes in each direction, in nanoseconds.
  private let byteLengths: ByteLengths

  init<Reader: LogReader>(
    by _: Reader.Type, _ files: [CaptureFile], _ options: CaptureOptions
  ) throws(CaptureError) {
    var reader = Reader(options)
    format = Reader.format
    clock = LogClock(format)
    byteLengths = ByteLengths(options)
    stamps = (reader.clock, reader.resolution, reader.uncertainty)
    try reader.read(files) { (record) throws(CaptureError) in try take(record) }
    ports = reader.ports
    stamps = (reader.clock, reader.resolution, reader.uncertainty)
    baud = reader.baud
    notes = reader.notes
  }

  func side(_ port: Int, _ direction: Event.Line) -> Side {
    let index = port * 2 + (direction == .rx ? 0 : 1)
    return index < sides.count ? sides[index] : Side()
  }

  /// The bytes of a port in both directions.
  func bytes(_ port: Int) -> Int64 { side(port, .rx).bytes + side(port, .tx).bytes }

  /// Whether bytes of a port look like commands to a turret.
  func hasCommands(_ port: Int) -> Bool {
    Event.Line.allCases.contains { side(port, $0).commands.count > 0 }
  }

  /// Whether a port carries bytes, even if the log does not show them.
  func isUsed(_ port: Int) -> Bool {
    Event.Line.allCases.contains { side(port, $0).bytes + side(port, $0).missing > 0 }
  }

  private mutating func take(_ record: LogRecord) throws(CaptureError) {
    let index = record.port * 2 + (record.direction == .rx ? 0 : 1)
    while sides.count <= index { sides.append(Side()) }
    let time = try record.stamp.map { (stamp) throws(CaptureError) in
      try clock.time(of: stamp, record)
    }
    sides[index].take(record, at: time, byteLengths)
  }
}

/// How long a byte takes on the line in each direction, in nanoseconds: ten bits. Speeds below 50
/// baud count as 50, so that the sum over the bytes of a log cannot overflow.
struct ByteLengths: Hashable {
  let rx: Int64
  let tx: Int64

  init(_ options: CaptureOptions) {
    rx = 10_000_000_000 / Int64(max(50, options.rxBaud))
    tx = 10_000_000_000 / Int64(max(50, options.baud))
  }

  subscript(_ line: Event.Line) -> Int64 { line == .rx ? rx : tx }
}

/// The lines of a log that are not the tool's own. One of them can be a damaged record, so a log
/// with such lines is refused, unless the user accepts that. Python's account of an error, and a
/// line that the log's end cuts, are left out.
struct ForeignLines {
  private let isLossy: Bool
  private var failure: CaptureError?
  private var isInTraceback = false
  private var lines = LineCount()

  init(_ options: CaptureOptions) { isLossy = options.isLossy }

  /// Fails if a line before the next one was foreign.
  func check() throws(CaptureError) { if let failure { throw failure } }

  /// Takes a line that is not the tool's own.
  mutating func take(_ line: LineCursor, expected: String) {
    guard !line.bytes.trimmed.isEmpty else { return }
    if line.bytes.starts(with: "Traceback (most recent call last)") { isInTraceback = true }
    lines.add(line.number)
    guard !isLossy, !isInTraceback else { return }
    failure = CaptureError(
      at: .line(line.number),
      "expected \(expected), found another line. If it is no part of the log, "
        + "--lossy leaves it out")
  }

  /// Takes a line that is the tool's own.
  mutating func takeOwn() { isInTraceback = false }

  /// Returns a note about the lines that were left out. Fails if the last line was foreign and is
  /// whole.
  func end(isCut: Bool) throws(CaptureError) -> [String] {
    if let failure, !isCut { throw failure }
    if failure != nil { return ["The log ends within a line; that line was left out."] }
    return lines.leftOut("are not the tool's", "is not the tool's").map { [$0] } ?? []
  }
}

/// How many lines are of one sort, and the first of them.
struct LineCount {
  private(set) var count = 0
  private var first = 0

  mutating func add(_ line: Int) {
    if count == 0 { first = line }
    count += 1
  }

  /// Returns a note that they were left out; nil if there are none.
  func leftOut(_ many: String, _ one: String) -> String? {
    switch count {
    case 0: nil
    case 1: "1 line left out that \(one): line \(first)."
    default: "\(count) lines left out that \(many): line \(first) is the first."
    }
  }
}

/// Counts what looks like the turret's aiming commands in a stream of bytes: `X`, one to three
/// digits, and a full stop. This distinguishes a log's directions if the format does not.
struct CommandHint {
  private var digits = -1
  private(set) var count: Int64 = 0

  mutating func take(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == 0x58 || byte == 0x78 {
        digits = 0
      } else if digits >= 0, byte.decimalDigit != nil {
        digits = digits < 3 ? digits + 1 : -1
      } else {
        if digits > 0, byte == 0x2e { count += 1 }
        digits = -1
      }
    }
  }
}
