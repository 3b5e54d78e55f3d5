import Turret

/// A tone of a trace, taken off the trace's own clock.
struct TracedTone: Hashable {
  var cause: Cause
  /// From the cause to the tone's start.
  var offset: Interval
  var hertz: Double
  /// How long it sounds where nothing cuts it short; nil: for ever.
  var length: Interval?
  /// Whether the trace has an event for its start, or ends too early to show one.
  var isShown: Bool
  var line: Int
  var silenceLine: Int
}
