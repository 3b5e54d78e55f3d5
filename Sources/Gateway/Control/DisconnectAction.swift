package import Turret
package import TurretProtocol

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
