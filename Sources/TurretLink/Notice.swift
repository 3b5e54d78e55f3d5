import Traces

/// What a gateway tells its clients beyond the board's answers. The codes are those of the page on
/// the gateway.
public enum Notice: Hashable, Sendable {
  /// Another client is in control, so the command was not sent.
  case notInControl
  /// Another client has taken control.
  case controlLost
  /// It is this client's turn.
  case controlGained
  /// What was sent is not a command, or has a number that is out of range, says the text.
  case notACommand(String)
  /// Commands wait for the line.
  case queueFull
  /// A command waited too long, and was not sent.
  case late
  /// The board is not connected.
  case noBoard
  /// The gateway stops.
  case leaving
  /// Any other, with its code and its text.
  case other(code: String, String)

  init(_ message: GatewayMessage) {
    self =
      switch message.code {
      case "not-in-control": .notInControl
      case "control-lost": .controlLost
      case "control-gained": .controlGained
      case "not-a-command": .notACommand(message.message)
      case "queue-full": .queueFull
      case "late": .late
      case "no-board": .noBoard
      case "leaving": .leaving
      default: .other(code: message.code, message.message)
      }
  }
}

extension Notice: CustomStringConvertible {
  /// A sentence to show.
  public var description: String {
    switch self {
    case .notInControl, .controlLost: "Another client controls the turret."
    case .controlGained: "This client controls the turret."
    case .notACommand(let text): "The gateway refused a command: \(PlainText.escaped(text))."
    case .queueFull, .late:
      "The gateway is behind: commands arrive faster than the line takes them."
    case .noBoard: "The board is not connected to the gateway."
    case .leaving: "The gateway is stopping."
    case .other(let code, let text): PlainText.escaped(text.isEmpty ? code : text)
    }
  }
}
