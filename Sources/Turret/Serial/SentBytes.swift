/// Bytes that the board has sent, whose stop bits have ended.
package struct SentBytes: Hashable, Sendable {
  package var bytes: [UInt8]
  /// When each of them began; empty if all that is known is that they have just arrived.
  package var starts: [Instant]
  /// The speed at which they were sent, in bits a second.
  package var baud: Int
  /// Their format.
  package var format: LineFormat

  package init(
    _ bytes: [UInt8] = [], starts: [Instant] = [], baud: Int, format: LineFormat = .standard
  ) {
    self.bytes = bytes
    self.starts = starts
    self.baud = baud
    self.format = format
  }

  package var isEmpty: Bool { bytes.isEmpty }
}
