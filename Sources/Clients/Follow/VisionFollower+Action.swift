package import TurretProtocol

extension VisionFollower {
  /// An action to carry out.
  package enum Action: Hashable, Sendable {
    /// Connect, and report `connected` or `connectFailed`.
    case connect
    /// End the connection or the attempt, and report nothing more about it.
    case disconnect
    /// Write these bytes to the phone.
    case write(String)
    /// Send this command to the turret.
    case send(Command)
    case say(FollowRemark)
  }
}
