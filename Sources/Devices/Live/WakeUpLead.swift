package import Turret

/// How much earlier than its next deadline a process asks to be woken: its average lateness, so
/// that it is not late and does not have to spin for long.
package struct WakeUpLead: Hashable, Sendable {
  /// A machine that is later than this is busy, and waking earlier would only add to its load.
  package static let max = Interval.microseconds(250)
  /// The number of wake-ups to average over.
  private static let memory: Int64 = 16

  package private(set) var interval = Interval.zero

  package init() {}

  /// Adds the lateness of a wake-up.
  package mutating func observe(_ late: Interval) {
    let late = Swift.min(Swift.max(late, .zero), Self.max)
    interval.nanoseconds += (late - interval).nanoseconds / Self.memory
  }
}
