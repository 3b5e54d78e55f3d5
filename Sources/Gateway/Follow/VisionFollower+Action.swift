extension VisionFollower {
  /// What is to be done.
  package enum Action: Hashable, Sendable {
    /// Report `connected` or `connectFailed`.
    case connect
    /// End the connection or the attempt; nothing of it is to be reported any more.
    case disconnect
    /// Write these bytes to the phone.
    case write(String)
    /// Give this command to the turret.
    case send(Command)
    case say(FollowRemark)
  }
}
