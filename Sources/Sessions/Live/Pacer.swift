package import Devices
package import Platform
package import Sketches

/// Makes virtual time follow the computer's monotonic clock, from the moment the session began.
package struct Pacer: Sendable {
  private let system: any SystemCalls
  /// The moment of the session's time 0.
  private var origin: HostTime
  private var lead = WakeUpLead()
  /// How late the process woke when something was due.
  package private(set) var lateness = Lateness()

  /// Creates a pacer for a session that began at `origin`.
  package init(since origin: HostTime, on system: any SystemCalls) {
    self.origin = origin
    self.system = system
  }

  /// Virtual time, in whole microseconds.
  package var now: Instant { time(of: system.now) }

  /// Virtual time at a moment of the computer's clock.
  package func time(of moment: HostTime) -> Instant { moment.sessionTime(since: origin) }

  /// Moves virtual time back by an interval.
  package mutating func goBack(by interval: Interval) { origin = origin + interval }

  /// Returns when to ask to be woken for something that is due at `deadline`.
  package func wakeUp(for deadline: Instant) -> Instant { deadline - lead.interval }

  /// Notes a wake-up for something that is due at `deadline`. The remaining microseconds are spent
  /// spinning.
  package mutating func woke(for deadline: Instant) {
    var now = now
    // An early wake-up is not a measurement: a long wait has two parts.
    guard now >= wakeUp(for: deadline) else { return }
    lead.observe(now - wakeUp(for: deadline))
    while now < deadline { now = self.now }
    lateness.add(now - deadline)
  }
}
