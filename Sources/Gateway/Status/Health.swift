import Traces
package import Turret

/// What `/health` says.
package struct Health: Hashable, Sendable {
  /// What stands behind the gateway, for people.
  package var device: String
  package var firmware: Firmware
  /// What is wrong with the board, a sentence; nil: it is there and works.
  package var boardFailure: String?
  package var hasController = false
  /// Those that may send commands, and those that only hear.
  package var clients = 0
  package var watchers = 0
  package var allowsAnonymous = false
  /// nil: the session is not recorded.
  package var recording: RecordingHealth?
  /// How long the bench has been running.
  package var uptime = Interval.zero

  package init(device: String, firmware: Firmware) {
    self.device = device
    self.firmware = firmware
  }

  /// Takes over what is counted.
  package mutating func set(_ counts: GatewayCounts) {
    hasController = counts.hasController
    clients = counts.senders
    watchers = counts.watchers
  }

  /// Takes over what the bench says of itself.
  package mutating func set(_ status: BenchStatus) {
    boardFailure = status.boardFailure
    recording = status.recording
  }

  /// Whether the turret can be used and what happens is written down.
  package var isWell: Bool { problems.isEmpty }

  /// What is wrong, a sentence each.
  package var problems: [String] { [boardFailure, recording?.failure].compactMap { $0 } }

  /// One JSON object on a line.
  package var json: String {
    let milliseconds = uptime.nanoseconds / 1_000_000
    return JSONValue.object([
      .init("status", .string(isWell ? "ok" : "degraded")),
      .init("device", .string(device)),
      .init("firmware", .string(firmware.rawValue)),
      .init("board", .bool(boardFailure == nil)),
      .init("controller", .bool(hasController)),
      .init("clients", .number("\(clients)")),
      .init("watchers", .number("\(watchers)")),
      .init("anonymous", allowsAnonymous ? .string("allowed (--allow-anonymous)") : .null),
      .init("recording", recording?.json ?? .null),
      .init("uptime_seconds", .number(String(shortest: .milliseconds(milliseconds)))),
      .init("problems", .array(problems.map(JSONValue.string))),
    ]).text + "\n"
  }
}
