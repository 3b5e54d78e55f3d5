import Sketches
import Traces

/// The reader of one kind of log. Each pass over the file uses a new reader.
protocol LogReader {
  static var format: LogFormat { get }

  /// Recognizes a log of this kind by its beginning.
  static func recognize(_ head: CaptureHead) -> Recognition

  init(_ options: CaptureOptions)

  /// The ports seen so far. Their indices are the same in each pass.
  var ports: [LogPort] { get }
  var clock: LogFormat.Clock { get }
  /// The resolution of the stamps seen so far, in nanoseconds.
  var resolution: Int64 { get }
  /// The largest error of a byte's time, in nanoseconds.
  var uncertainty: Int64 { get }
  /// The speed that the sender has set, in bits a second; nil if the log does not show it.
  var baud: Int? { get }
  /// What the user should know after a pass: what was cut off, what was left out.
  var notes: [String] { get }

  /// Reads files from the beginning to the end.
  mutating func read(_ files: [CaptureFile], _ give: LogRecord.Take) throws(CaptureError)
}

extension LogReader {
  var ports: [LogPort] { [LogPort(name: "")] }
  var clock: LogFormat.Clock { Self.format.clock }
  var resolution: Int64 { Self.format.resolution }
  var uncertainty: Int64 { Self.format.uncertainty }
  var baud: Int? { nil }
  var notes: [String] { [] }
}

/// The reader of a log that consists of lines.
protocol LineLogReader: LogReader {
  /// Whether a line can only belong to a log of this kind.
  static func recognizes(_ line: LineCursor) -> Bool

  /// Looks through a file before its lines are taken.
  mutating func begin(_ file: CaptureFile) throws(CaptureError)

  /// Takes a line, and passes on the records that it completes.
  mutating func take(_ line: LineCursor, _ give: LogRecord.Take) throws(CaptureError)

  /// Passes on what is left at the end of the file. `isCut` is whether the last line has no
  /// newline.
  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError)
}

extension LineLogReader {
  static func recognize(_ head: CaptureHead) -> Recognition {
    head.recognitionByAnyLine(recognizes)
  }

  mutating func begin(_ file: CaptureFile) throws(CaptureError) {}
  mutating func end(isCut: Bool, _ give: LogRecord.Take) throws(CaptureError) {}

  mutating func read(_ files: [CaptureFile], _ give: LogRecord.Take) throws(CaptureError) {
    for file in files {
      try begin(file)
      var lines = CaptureLines(file, stripsColors: Self.format.canHaveColors)
      while let line = try lines.next() { try take(LineCursor(line, line: lines.number), give) }
      try end(isCut: lines.endsWithoutNewline, give)
    }
  }
}

extension CaptureFormat {
  /// Creates the format of a log.
  init<Reader: LogReader>(_ reader: Reader.Type) {
    self.init(
      Reader.recognize,
      files: { (files, options) throws(CaptureError) in try Capture(log: reader, files, options) })
  }

  /// Creates the format of a log that is not read and is recognized by most of its lines.
  init(refused isMatch: @escaping (LineCursor) -> Bool, _ refusal: String) {
    self.init({ $0.recognitionByMostLines(isMatch) }, refusal: refusal)
  }
}

/// What is the same for all logs of one kind.
struct LogFormat {
  /// How the tool stamps its records.
  enum Clock: Hashable {
    /// Time since the epoch in UTC, or since another fixed instant. It cannot jump.
    case absolute(isEpoch: Bool)
    /// Date and time of day where the log was recorded. Summer time changes it.
    case local
    /// The time of day, without a date.
    case timeOfDay
    /// A count that starts again at 0 after this many nanoseconds.
    case wrapping(Int64)
  }

  /// What the log's ports are.
  enum Ports: Hashable {
    /// Whole ports: each has both directions, and a session is on one of them.
    case ports
    /// The two sides of one line, whose names indicate the directions.
    case sides
  }

  var kind: CaptureKind
  /// The tool's name, for the trace's header.
  var source: String
  var clock: Clock
  /// The resolution of the stamps and the largest error of a byte's time, in nanoseconds; 0 if that
  /// depends on the log.
  var resolution: Int64 = 0
  var uncertainty: Int64 = 0
  var ports = Ports.ports
  /// Whether a logic analyser stamped the bytes: each at its start bit, on a clock without jitter.
  var isAnalyzer = false
  /// Whether the trace starts at the log's own zero, rather than at the first record.
  var keepsZero = false
  /// The name of what `--port` selects, for a message.
  var portNoun = "port"
  /// Whether a terminal's escape sequences are no part of the log. They can be the bytes' own text.
  var canHaveColors = true
  /// How far a clock can step back between two records without having been set, in nanoseconds.
  var slack: Int64 = 0
}

extension CaptureHead {
  /// Recognizes a log by its first lines that are not empty: certain if one of them matches.
  func recognitionByAnyLine(_ isMatch: (LineCursor) -> Bool) -> Recognition {
    matches(isMatch) > 0 ? .certain : .no
  }

  /// The same for lines that other formats can have too: most of them must match.
  func recognitionByMostLines(_ isMatch: (LineCursor) -> Bool) -> Recognition {
    matches(isMatch) * 2 > matches { _ in true } ? .certain : .no
  }

  /// Recognizes a log by its first line.
  func recognitionByFirstLine(_ isMatch: (LineCursor) -> Bool) -> Recognition {
    matches(upTo: 1, isMatch) > 0 ? .certain : .no
  }

  /// The most lines that are examined.
  private static let linesMax = 200

  /// Returns how many of the first lines match.
  private func matches(upTo limit: Int = linesMax, _ isMatch: (LineCursor) -> Bool) -> Int {
    // A log in a terminal's colours is recognized by its text.
    var plain = bytes
    let length = plain.withUnsafeMutableBytes { CaptureLines.stripColors($0) }
    return plain[..<length].withUnsafeBytes { bytes in
      var cursor = LineCursor(bytes, at: starts(with: "\u{FEFF}") ? 3 : 0)
      var lines = 0
      var found = 0
      while !cursor.isAtEnd, lines < limit {
        var line = cursor.takeText(upTo: 0x0a)
        // The last line can be cut.
        guard cursor.take(0x0a) || isWhole else { break }
        if line.last == 0x0d { line = UnsafeRawBufferPointer(rebasing: line.dropLast()) }
        guard !line.isEmpty else { continue }
        lines += 1
        if isMatch(LineCursor(line)) { found += 1 }
      }
      return found
    }
  }
}

/// Bytes that a log shows as written or read at once.
struct LogRecord: Hashable {
  typealias Take = (LogRecord) throws(CaptureError) -> Void

  /// The most bytes of a record that spans several lines.
  static let bytesMax = 1 << 20
  /// The most bytes that are counted as missing in one record.
  static let missingMax: Int64 = 1 << 24

  /// Nanoseconds on the log's own clock, or nil if the log has no time for it.
  var stamp: Int64?
  /// The clock of the stamp; nil if it is the format's.
  var clock: LogFormat.Clock?
  /// To the board or from it, as the format names it. Has no meaning if each port is one direction.
  var direction = Event.Line.rx
  /// An index into the reader's ports.
  var port = 0
  var place = CaptureError.Place.whole
  var bytes: [UInt8] = []
  /// How many more bytes were transferred that the log does not show.
  var missing: Int64 = 0
  /// Whether the last byte's stop bit was missing.
  var hasFramingError = false

  /// Sets what is known of a record where it begins.
  mutating func begin(
    _ stamp: Int64?, _ direction: Event.Line = .rx, port: Int = 0, at place: CaptureError.Place
  ) {
    self.stamp = stamp
    self.direction = direction
    self.port = port
    self.place = place
  }

  /// Passes on the record if it has bytes, and begins the next one.
  mutating func finish(_ give: Take) throws(CaptureError) {
    guard !bytes.isEmpty else { return }
    try give(self)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Fails if the record has become too long at a line.
  func checkLength(_ line: LineCursor) throws(CaptureError) {
    guard bytes.count > Self.bytesMax else { return }
    throw CaptureError(
      at: .line(line.number),
      "expected a record of at most \(Self.bytesMax) bytes, found more lines of it")
  }
}

/// One of the ports, sides or analysers that a log distinguishes.
struct LogPort: Hashable {
  var name: String
  /// Whether the log shows that it is a serial port. If any port is one, the others are ignored.
  var isSerial = false
  /// Whether it can be chosen only by `--port`: standard input, a regular file.
  var isOnRequest = false
  /// A second name that `--port` accepts: the path of a file descriptor.
  var alias = ""
}

extension [LogPort] {
  private static let countMax = 64

  /// Returns the index of the port with a name, which is added if it is new. Fails at `place` if
  /// there are too many.
  mutating func index(
    of name: String, at place: CaptureError.Place, noun: String = "ports"
  ) throws(CaptureError) -> Int {
    if let index = firstIndex(where: { $0.name == name }) { return index }
    guard count < Self.countMax else {
      throw CaptureError(at: place, "expected at most \(Self.countMax) \(noun), found more")
    }
    append(LogPort(name: name))
    return count - 1
  }
}
