import Turret

/// An output of a trace, taken off the trace's own clock.
struct TracedOutput: Hashable {
  var cause: Cause
  /// From the cause to the output.
  var offset: Interval
  var output: Output
  var line: Int
}
