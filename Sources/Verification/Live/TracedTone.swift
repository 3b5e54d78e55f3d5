import Turret

/// A tone of a trace, timed from its cause.
struct TracedTone: Hashable {
  var cause: Cause
  /// From the cause to the tone's start.
  var offset: Interval
  var hertz: Double
  /// How long it sounds if nothing cuts it short; nil if it does not end.
  var length: Interval?
  /// Whether the trace has an event for its start; false if it ends too early to show one.
  var isShown: Bool
  var line: Int
  var silenceLine: Int
}
