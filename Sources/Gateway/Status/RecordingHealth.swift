package import Traces

/// How the recording of the session is.
package struct RecordingHealth: Hashable, Sendable {
  package var file: String
  /// Parts of this session so far; the file has the last one.
  package var part: Int
  /// Bytes of the present part.
  package var bytes: Int64
  /// Events that could not be written.
  package var lostEvents: Int
  /// Why not all is well, a sentence; nil: all is.
  package var failure: String?

  package init(
    file: String, part: Int = 1, bytes: Int64 = 0, lostEvents: Int = 0, failure: String? = nil
  ) {
    self.file = file
    self.part = part
    self.bytes = bytes
    self.lostEvents = lostEvents
    self.failure = failure
  }

  package var json: JSONValue {
    .object([
      .init("file", .string(file)), .init("part", .number("\(part)")),
      .init("bytes", .number("\(bytes)")), .init("lost_events", .number("\(lostEvents)")),
      .init("failure", failure.map(JSONValue.string) ?? .null),
    ])
  }
}
