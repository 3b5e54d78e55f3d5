package import Turret

/// How much earlier than it has something to do a process asks to be woken: as much as it is woken
/// late on average, so that it is neither late nor has to wait for long without sleeping.
package struct WakeUpLead: Hashable, Sendable {
  /// A machine that is later than this is busy, and asking earlier would only add to that.
  package static let max = Interval.microseconds(250)
  /// The average is over some so many wake-ups.
  private static let memory: Int64 = 16

  package private(set) var interval = Interval.zero

  package init() {}

  /// It was woken so much later than it had asked for.
  package mutating func observe(_ late: Interval) {
    let late = Swift.min(Swift.max(late, .zero), Self.max)
    interval.nanoseconds += (late - interval).nanoseconds / Self.memory
  }
}
