import Turret

/// An output of a trace, timed from its cause.
struct TracedOutput: Hashable {
  var cause: Cause
  /// From the cause to the output.
  var offset: Interval
  var output: Output
  var line: Int
}
