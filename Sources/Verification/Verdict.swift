package import Devices
import Traces
package import Turret

/// The result of verifying one trace.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case agrees
    case diverges(Divergence)
    /// The trace expects nothing. A check that cannot fail is not a check.
    case nothingToCompare(String)
    /// The device cannot show what the trace expects.
    case cannotObserve(Set<Output.Kind>)
    /// The recording cannot decide, with the reason: its times are too uncertain, or it does not
    /// contain what would decide.
    case undecided(String)
    /// The device is missing or was lost during the session, so the trace was not judged.
    case deviceFailed(DeviceError)
  }

  package var outcome: Outcome
  package var tally: Tally
  /// The largest deviation of a matching output.
  package var worst: Interval
  /// The fit of the clock, for a trace stamped by a computer.
  package var fit: ClockFit?
  /// How the device's sweep drifts relative to the trace's; nil if it does not.
  package var drift: SweepDrift?
  /// What the sketch was doing when the divergence was noticed.
  package var activity: Activity?
  /// The number of bytes waiting in the ring at that moment.
  package var waitingCount: Int?
  /// When the divergence was noticed.
  package var noticed: Instant?
  /// In a live session, the sender's gap that differs most from the trace's; nil if there is none.
  package var largestGap: GapDifference?
  /// In a live session, how many aims a newer one replaced and how many `L`s were merged before
  /// they were sent.
  package var replaced = 0
  package var merged = 0
  /// What many worlds showed, if the trace's times are uncertain.
  package var worlds: WorldFindings?
  /// Remarks about the program that ran on the device.
  package var remarks: [String] = []

  package var agrees: Bool { outcome == .agrees }

  package init(
    _ outcome: Outcome, tally: Tally = Tally(), worst: Interval = .zero, fit: ClockFit? = nil
  ) {
    self.outcome = outcome
    self.tally = tally
    self.worst = worst
    self.fit = fit
  }
}
