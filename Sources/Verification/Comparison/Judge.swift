package import Traces
package import Turret

/// Compares what a trace expects with what a device does, as both come.
///
/// Both sides come in order of time.
package protocol Judge: Sendable {
  /// The next event of the trace, whatever it is, and its line.
  mutating func expect(_ event: Event, line: Int)
  /// The next output of the device.
  mutating func find(_ event: Event)
  /// Both sides are complete up to `instant`; `line` is where the trace is.
  mutating func settle(before instant: Instant, line: Int)
  /// The session ended at `end`.
  mutating func finish(at end: Instant, line: Int)

  /// Whether there is a divergence so far: quicker to ask than what it is.
  var hasDiverged: Bool { get }
  /// The first divergence by time, so far.
  var divergence: Divergence? { get }
  /// How the two sides go together, so far.
  var tally: Tally { get }
  /// How far off a matching output was at most.
  var worst: Interval { get }
  /// How a computer's clock was fitted.
  var fit: ClockFit? { get }
}
