/// The pulses on the servo's pin: one rising edge each period, whatever the sketch does.
///
/// A new width takes effect at the next period.
package struct PulseTrain: Hashable, Sendable, Savable {
  /// The first rising edge.
  package var first: Instant
  /// The time from one rising edge to the next.
  package var period: Interval

  package init(first: Instant, period: Interval) {
    self.first = first
    self.period = period
  }

  /// Returns the first rising edge that is not before `instant`.
  package func edge(notBefore instant: Instant) -> Instant {
    guard instant > first else { return first }
    let past = instant - first
    let periods = (past.nanoseconds + period.nanoseconds - 1) / period.nanoseconds
    return first + Interval(nanoseconds: periods * period.nanoseconds)
  }
}
