import Turret

/// A mishap, and where it occurred.
struct FoundMishap: Hashable, Sendable {
  var mishap: Mishap
  var time: Instant
  /// What happened, as a sentence without its full stop.
  var text: String
  /// The session's event, counted from 0; nil if it is not known.
  var event: Int?
}
