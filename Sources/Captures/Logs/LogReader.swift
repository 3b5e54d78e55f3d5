/// The reader of one kind of log. Each pass over the file uses a new reader.
protocol LogReader {
  static var format: LogFormat { get }

  init(_ options: CaptureOptions)

  /// The ports seen so far. Their indices are the same in each pass.
  var ports: [LogPort] { get }
  /// The clock that stamped the records.
  var clock: LogFormat.Clock { get }
  /// The resolution of the stamps seen so far, in nanoseconds.
  var resolution: Int64 { get }
  /// The largest error of a byte's time, in nanoseconds.
  var uncertainty: Int64 { get }
  /// What the user should know after a pass: what was cut off, what was left out.
  var notes: [String] { get }

  /// Reads files from the beginning to the end.
  mutating func read(
    _ files: [CaptureFile], _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError)
}

extension LogReader {
  var clock: LogFormat.Clock { Self.format.clock }
}

/// A log that is recognized by its lines.
protocol RecognizedLog: LogReader {
  /// Whether a line can only belong to a log of this kind.
  static func recognizes(_ line: UnsafeRawBufferPointer) -> Bool
}

/// The reader of a log that consists of lines.
protocol LineLogReader: RecognizedLog {
  /// Takes a line, and passes on the records that it completes.
  mutating func take(
    _ line: UnsafeRawBufferPointer, _ number: Int, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError)

  /// Passes on what is left at the end of the file. `isCut` is whether the last line has no
  /// newline.
  mutating func end(
    isCut: Bool, _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError)
}

extension LineLogReader {
  mutating func read(
    _ files: [CaptureFile], _ give: (LogRecord) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    for file in files {
      var lines = CaptureLines(file, stripsColors: Self.format.canHaveColors)
      while let line = try lines.next() { try take(line, lines.number, give) }
      try end(isCut: lines.endsWithoutNewline, give)
    }
  }
}
