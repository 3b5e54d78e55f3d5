package import Sketches

/// How the arbiter handles the clients, and what it knows about the board.
package struct ArbiterSettings: Hashable, Sendable {
  package var firmware: Firmware
  /// The sketch's commands, if they are not those of the firmware.
  package var profile: Profile?
  /// The board's speed, in bits a second.
  package var baud: Int
  /// Whether bytes are passed on unchanged.
  package var isRaw = false
  package var control = ControlPolicy.first
  package var onDisconnect = DisconnectAction.hold
  /// Whether clients without a token are admitted although that is not safe. `/health` reports it.
  package var allowsAnonymous = false
  /// Whether joining and leaving clients are logged. It is false if the only client is the bench's
  /// own sender, which is always present.
  package var announcesClients = true

  package init(firmware: Firmware, baud: Int) {
    self.firmware = firmware
    self.baud = baud
  }

  /// The command that leaves the turret as `onDisconnect` chooses; nil if there is none.
  var disconnectCommand: Command? {
    guard let profile else { return onDisconnect.command }
    return onDisconnect.bytes(in: profile).flatMap { Command($0, of: profile) }
  }

  func makeParser() -> CommandParser { CommandParser(for: firmware, profile: profile) }
}

/// Decides which of several clients is in control.
package enum ControlPolicy: String, Hashable, Sendable, CaseIterable {
  /// The client that connected first, until it leaves.
  case first
  /// The client that connected last; the others watch.
  case latest
}

/// What the turret does when no client controls it any more.
package enum DisconnectAction: String, Hashable, Sendable, CaseIterable {
  /// Continues with its present activity.
  case hold
  case scan
  /// Turns straight ahead.
  case centre

  /// The command for the board; nil if there is none.
  package var command: Command? {
    switch self {
    case .hold: nil
    case .scan: .lost
    case .centre: .aim(90)
    }
  }

  /// The bytes that a profile has for it; nil if it has none.
  package func bytes(in profile: Profile) -> [UInt8]? {
    switch self {
    case .hold: profile.hold
    case .scan: profile.scan
    case .centre: profile.centre
    }
  }

  /// Whether a profile supports this action. `hold` needs no command.
  package func isDeclared(by profile: Profile) -> Bool {
    self == .hold || bytes(in: profile) != nil
  }
}
