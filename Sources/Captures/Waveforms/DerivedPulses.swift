package import Turret

/// The pulses that follow from the widths that a sketch stored, for a recording without pulses: one
/// each period, with the width that was stored last.
package struct DerivedPulses: Hashable, Sendable {
  private let fromReset: Interval
  private let period: Interval
  private var edge: Instant
  /// The width that was stored last, in microseconds; nil before the first.
  package var width: UInt16?

  /// `timing` is that of the sketch, which has just been reset.
  package init(_ timing: Timing) {
    fromReset = timing.firstPulse
    period = timing.pulsePeriod
    edge = .zero + timing.firstPulse
  }

  /// Starts again for a sketch that restarts at an instant.
  mutating func restart(at instant: Instant) {
    width = nil
    edge = instant + fromReset
  }

  /// Returns the next pulse if its rising edge is before `end`.
  mutating func next(before end: Instant) -> (edge: Instant, width: UInt16)? {
    while edge < end {
      defer { edge += period }
      // As a device stamps its pulses.
      if let width { return (edge.roundedUpToMicrosecond, width) }
    }
    return nil
  }
}
