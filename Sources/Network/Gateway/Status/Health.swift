import Engine
import Sketches
package import Traces

/// The answer to `/health`.
struct Health: Hashable, Sendable {
  var status: BenchStatus
  /// The name of the sketch.
  var firmware: String
  /// The name of the sketch's profile, if it is not one of the bench's own.
  var profile: String?
  var counts = GatewayCounts()
  var allowsAnonymous = false
  /// Whether the detector answers; nil if there is none.
  var isDetectorReady: Bool?
  /// How long the bench has been running.
  var uptime = Interval.zero

  /// Whether the turret can be used and the session is being recorded as requested.
  var isWell: Bool { problems.isEmpty }

  /// The problems, one sentence each.
  var problems: [String] { [status.boardFailure, status.recording?.failure].compactMap { $0 } }

  /// One JSON object on a line.
  var json: String {
    let milliseconds = uptime.nanoseconds / 1_000_000
    return JSONValue.object([
      .init("status", .string(isWell ? "ok" : "degraded")),
      .init("device", .string(status.device)),
      .init("firmware", .string(firmware)),
      .init("profile", .text(profile)),
      .init("board", .bool(status.boardFailure == nil)),
      .init("controller", .bool(counts.hasController)),
      .init("clients", .whole(counts.senders)),
      .init("watchers", .whole(counts.watchers)),
      .init("anonymous", allowsAnonymous ? .string("allowed (--allow anonymous)") : .null),
      .init("recording", status.recording?.json ?? .null),
      .init("detector", .text(isDetectorReady.map { $0 ? "ready" : "away" })),
      .init("uptime_seconds", .number(String(shortest: .milliseconds(milliseconds)))),
      .init("problems", .array(problems.map(JSONValue.string))),
    ]).text + "\n"
  }
}

/// The bench's own status, for requests over the network.
package struct BenchStatus: Hashable, Sendable {
  /// The device behind the gateway.
  package var device = ""
  /// The name of its sketch; nil before the session begins.
  package var sketch: String?
  /// What is wrong with the board, as a sentence; nil if it is connected and works.
  package var boardFailure: String?
  /// The last commanded angle in degrees; nil before the first one.
  package var degrees: UInt8?
  /// nil if the session is not recorded.
  package var recording: RecordingHealth?
}

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
      .init("file", .string(file)), .init("part", .whole(part)),
      .init("bytes", .number("\(bytes)")), .init("lost_events", .whole(lostEvents)),
      .init("failure", .text(failure)),
    ])
  }
}
