package import Traces
package import Turret

/// Compares a trace's expectations with a device's outputs as both arrive.
///
/// Each side arrives in order of time.
package protocol Judge: Sendable {
  /// Takes the trace's next event, of any kind, and its line.
  mutating func expect(_ event: Event, line: Int)
  /// Takes the device's next output.
  mutating func find(_ event: Event)
  /// Notes that both sides are complete up to `instant`. `line` is the trace's current line.
  mutating func settle(before instant: Instant, line: Int)
  /// Ends the session at `end`.
  mutating func finish(at end: Instant, line: Int)

  /// Whether there is a divergence so far. Faster than `divergence`.
  var hasDiverged: Bool { get }
  /// The first divergence by time so far.
  var divergence: Divergence? { get }
  /// The counts of matching and differing outputs so far.
  var tally: Tally { get }
  /// The largest deviation of a matching output.
  var worst: Interval { get }
  /// How the device's sweep drifts relative to the trace's; nil if it does not.
  var drift: SweepDrift? { get }
  /// The fit of the computer's clock; nil if there is none.
  var fit: ClockFit? { get }
}
