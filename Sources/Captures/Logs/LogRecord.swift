import Traces

/// Bytes that a log shows as written or read at once.
struct LogRecord: Hashable {
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

  /// Fails if the record has become too long at a line.
  func checkLength(_ line: Int) throws(CaptureError) {
    guard bytes.count > Self.bytesMax else { return }
    throw CaptureError(
      .malformed, at: .line(line, column: 1),
      "expected a record of at most \(Self.bytesMax) bytes, found more lines of it")
  }
}
