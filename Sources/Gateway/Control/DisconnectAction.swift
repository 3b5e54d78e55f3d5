/// What the turret does when nobody controls it any more.
package enum DisconnectAction: String, Hashable, Sendable, CaseIterable {
  /// Goes on with what it does.
  case hold
  case scan
  /// Looks straight ahead.
  case centre

  /// What is sent to the board; nil: nothing.
  package var command: Command? {
    switch self {
    case .hold: nil
    case .scan: .lost
    case .centre: .aim(90)
    }
  }
}
