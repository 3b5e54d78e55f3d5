package import Turret

/// Something that went wrong in a session.
package struct SessionTrouble: Hashable, Sendable {
  enum Cause: Hashable, Sendable {
    /// A command that the sketch took differently from what its sender meant.
    case command(Misunderstanding.Pattern)
    /// The turret was not where it should have been.
    case angle
  }

  package var time: Instant
  /// What happened, for people.
  package var text: String
  var cause: Cause

  init(time: Instant, text: String, cause: Cause) {
    self.time = time
    self.text = text
    self.cause = cause
  }

  init(_ parting: AngleParting) {
    self.init(
      time: parting.time,
      text: "the servo was at \(parting.own) degrees and should have been at \(parting.wanted)",
      cause: .angle)
  }
}
