package import Devices
import Traces
package import Turret

/// What came of verifying one trace.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case agrees
    case diverges(Divergence)
    /// The trace expects nothing: a check that cannot fail is no check.
    case nothingToCompare(String)
    /// The device cannot show what the trace expects.
    case cannotObserve(Set<Output.Kind>)
    /// There is no device, or it was lost on the way: nothing is said about the trace.
    case deviceFailed(DeviceError)
  }

  package var outcome: Outcome
  package var tally: Tally
  /// How far off a matching output was at most.
  package var worst: Interval
  /// For a trace stamped by a computer: how its clock was fitted.
  package var fit: ClockFit?
  /// What the sketch was doing when the divergence was noticed.
  package var activity: Activity?
  /// Bytes that waited in the ring then.
  package var waitingCount: Int?
  /// When that was.
  package var noticed: Instant?
  /// What people should know about the program that ran on the device.
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
