package import Sketches
import Traces

/// A message to a client about its commands or about control: one JSON object.
package enum ClientMessage: Hashable, Sendable {
  case notACommand(Refusal)
  /// Another client is in control.
  case notInControl
  /// The command found `CommandQueue.countMax` others waiting.
  case queueFull(Command)
  /// The command waited for longer than `Profile.lateMax`, and no newer one can replace it.
  case late(Command)
  /// The board is not connected. The last aim or `L` is sent when it is connected again; raw bytes
  /// are lost.
  case noBoard(isRaw: Bool)
  /// This many commands, or raw bytes, arrived after the bench began to stop.
  case leaving(Int, isRaw: Bool)
  /// Another client has taken control.
  case controlLost
  /// This many of its commands were waiting and will not be sent.
  case dropped(Int)
  /// This many of its raw bytes were waiting and will not be sent.
  case rawDropped(Int)
  /// This client is now in control.
  case controlGained
  /// This many messages were not sent, because the client does not read.
  case missed(Int)
  /// The detector looks at pictures from now on.
  case detectorReady
  /// The detector is not connected. Pictures are refused until it is ready.
  case detectorAway

  /// The text sent over WebSocket; over TCP, a line feed follows.
  package var json: [UInt8] {
    var text = Array("{\"\(isError ? "error" : "notice")\": \"\(code)\"".utf8)
    if case .notACommand(let refusal) = self {
      text += Array(", \"reason\": \"\(refusal.why.rawValue)\", \"bytes\": ".utf8)
      text.appendQuoted(bytes: refusal.shown)
      text += Array(", \"count\": \(refusal.count)".utf8)
    }
    switch self {
    case .queueFull(let command), .late(let command):
      text += Array(", \"bytes\": ".utf8)
      text.appendQuoted(bytes: command.bytes)
    case .dropped(let count), .rawDropped(let count), .leaving(let count, _):
      text += Array(", \"count\": \(count)".utf8)
    default: break
    }
    text += Array(", \"message\": \(JSONValue.string(message).text)}".utf8)
    return text
  }

  private var isError: Bool {
    switch self {
    case .controlGained, .detectorReady, .detectorAway: false
    default: true
    }
  }

  private var code: String {
    switch self {
    case .notACommand: "not-a-command"
    case .notInControl: "not-in-control"
    case .queueFull: "queue-full"
    case .late: "late"
    case .noBoard: "no-board"
    case .leaving: "leaving"
    case .controlLost: "control-lost"
    case .dropped: "commands-dropped"
    case .rawDropped: "bytes-dropped"
    case .controlGained: "control-gained"
    case .missed: "notices-missed"
    case .detectorReady: "detector-ready"
    case .detectorAway: "detector-away"
    }
  }

  private var message: String {
    switch self {
    case .notACommand(let refusal): refusal.message
    case .notInControl: "another client controls the turret"
    case .queueFull: "\(CommandQueue.countMax) commands are already waiting for the line"
    case .late: "the command waited for the line for more than 1 s, and was not sent"
    case .noBoard(isRaw: true): "the board is disconnected; anything sent to it now is lost"
    case .noBoard: "the board is disconnected; the last aim or L is sent when it is back"
    case .leaving(let count, let isRaw):
      "the bench is stopping: \(String(counting: count, isRaw ? "byte" : "command")) not sent"
    case .controlLost: "another client has taken over"
    case .dropped(let count): "\(String(counting: count, "pending command")) will not be sent"
    case .rawDropped(let count): "\(String(counting: count, "pending byte")) will not be sent"
    case .controlGained: "this client now controls the turret"
    case .missed(let count):
      "\(String(counting: count, "notice")) \(count == 1 ? "was" : "were") not sent, "
        + "because the client did not read"
    case .detectorReady: "the detector is ready for pictures"
    case .detectorAway: "the detector is not connected; pictures are refused until it is back"
    }
  }
}
