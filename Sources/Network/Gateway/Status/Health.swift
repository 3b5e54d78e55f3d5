package import Engine
package import Sketches
import Traces

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
      .init("anonymous", allowsAnonymous ? .string("allowed (--allow-anonymous)") : .null),
      .init("recording", recording?.json ?? .null),
      .init("detector", .text(isDetectorReady.map { $0 ? "ready" : "away" })),
      .init("uptime_seconds", .number(String(shortest: .milliseconds(milliseconds)))),
      .init("problems", .array(problems.map(JSONValue.string))),
    ]).text + "\n"
  }
}
