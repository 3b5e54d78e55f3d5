package import Traces

/// The state of the session's recording.
package struct RecordingHealth: Hashable, Sendable {
  package var file: String
  /// The parts of this session so far; the file has the last one.
  package var part: Int
  /// The bytes in the present part.
  package var bytes: Int64
  /// Events that could not be written.
  package var lostEvents: Int
  /// What is wrong, as a sentence; nil if nothing is.
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
