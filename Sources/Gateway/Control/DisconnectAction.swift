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
}
