import Traces
import Turret

extension Interval {
  /// The length with a unit that suits it, rounded to whole microseconds: `200 us`, `50 ms`,
  /// `1.5 s`.
  package var text: String {
    let microseconds = Interval(nanoseconds: (nanoseconds + (nanoseconds < 0 ? -500 : 500)) / 1_000)
    if magnitude < .milliseconds(1) { return "\(microseconds.nanoseconds) us" }
    let (unit, perUnit) = magnitude < .seconds(1) ? ("ms", 1_000.0) : ("s", 1_000_000.0)
    return String(shortest: Double(microseconds.nanoseconds) / perUnit) + " " + unit
  }
}

extension Instant {
  /// The seconds since the start of the session, rounded up to whole microseconds: `2.401 s`.
  package var text: String {
    String(shortest: roundedUpToMicrosecond - .zero) + " s"
  }
}
