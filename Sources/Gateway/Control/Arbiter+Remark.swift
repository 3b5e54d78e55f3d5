import Logging
import TurretProtocol

extension Arbiter {
  /// An event that is worth a line in the log.
  enum Remark: Hashable, Sendable {
    case connected(ClientID, Transport, address: String)
    case watching(ClientID, address: String)
    case gone(ClientID, Departure)
    case inControl(ClientID)
    case lostControl(ClientID)
    case notACommand(Refusal, ClientID)
    case queueFull(ClientID)
    /// This many of its commands were waiting and will not be sent.
    case dropped(Int, ClientID)
    /// No client controls the turret any more, or the session is ending.
    case turretLeft(DisconnectAction)
  }
}

extension Arbiter.Remark {
  /// Whether it reports that a client has joined or left, or that control has changed.
  var isAnnouncement: Bool {
    switch self {
    case .connected, .watching, .gone, .inControl, .lostControl: true
    case .notACommand, .queueFull, .dropped, .turretLeft: false
    }
  }

  var level: Logger.Level {
    switch self {
    case .notACommand, .queueFull, .dropped: .debug
    case .connected, .watching, .gone, .inControl, .lostControl, .turretLeft: .info
    }
  }

  var message: Logger.Message {
    switch self {
    case .connected: "connected"
    case .watching: "watching"
    case .gone: "gone"
    case .inControl: "in control"
    case .lostControl: "lost control"
    case .notACommand: "not a command"
    case .queueFull: "queue full"
    case .dropped: "dropped"
    case .turretLeft: "the turret is left"
    }
  }

  var metadata: Logger.Metadata {
    switch self {
    case .connected(let id, let transport, let address):
      ["client": "\(id)", "over": "\(transport.rawValue)", "from": "\(address)"]
    case .watching(let id, let address): ["client": "\(id)", "from": "\(address)"]
    case .gone(let id, let departure): ["client": "\(id)", "how": "\(departure)"]
    case .inControl(let id), .lostControl(let id), .queueFull(let id): ["client": "\(id)"]
    case .notACommand(let refusal, let id): ["client": "\(id)", "bytes": "\(refusal.text)"]
    case .dropped(let count, let id): ["client": "\(id)", "commands": "\(count)"]
    case .turretLeft(let action): ["to": "\(action.rawValue)"]
    }
  }
}
