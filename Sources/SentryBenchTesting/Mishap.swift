/// Something that should not happen to what a sender sends.
public enum Mishap: String, Sendable, CaseIterable {
  /// A byte never reached the sketch, or was still waiting at the end.
  case lost
  /// A byte is unknown to the sketch, or was discarded together with an unknown one.
  case junk
  /// A byte ended a number and was lost with it.
  case swallowed
  /// A number was not used: it was refused, timed out, or was broken off.
  case abandoned
  /// The bench refused a message that arrived over the network.
  case refused
  /// A byte was sent at another speed than the board's.
  case wrongSpeed = "wrong-speed"
  /// The answer that the profile states for a command did not follow, or one that it does not
  /// state.
  case unanswered
  /// The board restarted.
  case reset
}

/// What a sketch of the bench can be doing for some time.
public enum SketchActivity: String, Sendable, CaseIterable {
  case startingUp = "starting-up"
  case idle
  /// It reads a number.
  case reading
  /// It discards the waiting bytes.
  case purging
  case scanning
  /// It sounds a tone.
  case sounding
}
