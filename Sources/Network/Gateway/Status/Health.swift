package import Engine
package import Sketches
package import Traces

/// The answer to `/health`.
package struct Health: Hashable, Sendable {
  /// The device behind the gateway, for people.
  package var device: String
  /// The name of its sketch.
  package var firmware: String
  /// The name of the sketch's profile, if it is not one of the bench's own.
  package var profile: String?
  /// What is wrong with the board, as a sentence; nil if it is connected and works.
  package var boardFailure: String?
  package var hasController = false
  /// The clients that can send commands, and those that only watch.
  package var clients = 0
  package var watchers = 0
  package var allowsAnonymous = false
  /// nil if the session is not recorded.
  package var recording: RecordingHealth?
  /// Whether the detector answers; nil if there is none.
  package var isDetectorReady: Bool?
  /// How long the bench has been running.
  package var uptime = Interval.zero

  package init(device: String, firmware: String) {
    self.device = device
    self.firmware = firmware
  }

  /// Adopts the counts.
  package mutating func set(_ counts: GatewayCounts) {
    hasController = counts.hasController
    clients = counts.senders
    watchers = counts.watchers
  }

  /// Adopts the bench's own status.
  package mutating func set(_ status: BenchStatus) {
    boardFailure = status.boardFailure
    recording = status.recording
  }

  /// Whether the turret can be used and the session is being recorded as requested.
  package var isWell: Bool { problems.isEmpty }

  /// The problems, one sentence each.
  package var problems: [String] { [boardFailure, recording?.failure].compactMap { $0 } }

  /// One JSON object on a line.
  package var json: String {
    let milliseconds = uptime.nanoseconds / 1_000_000
    return JSONValue.object([
      .init("status", .string(isWell ? "ok" : "degraded")),
      .init("device", .string(device)),
      .init("firmware", .string(firmware)),
      .init("profile", .text(profile)),
      .init("board", .bool(boardFailure == nil)),
      .init("controller", .bool(hasController)),
      .init("clients", .number("\(clients)")),
      .init("watchers", .number("\(watchers)")),
      .init("anonymous", allowsAnonymous ? .string("allowed (--allow anonymous)") : .null),
      .init("recording", recording?.json ?? .null),
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

  package init() {}
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
      .init("file", .string(file)), .init("part", .number("\(part)")),
      .init("bytes", .number("\(bytes)")), .init("lost_events", .number("\(lostEvents)")),
      .init("failure", failure.map(JSONValue.string) ?? .null),
    ])
  }
}
