package import Devices
import Platform
package import Turret

/// Real time is only waiting: virtual time follows the computer's monotonic clock from where the
/// session began.
package struct Pacer: Sendable {
  private var clock: SessionClock
  private var lead = WakeUpLead()
  /// How late it woke when something was due.
  package private(set) var lateness = Lateness()

  /// A session that began at `origin`.
  package init(since origin: HostTime = .now) { clock = SessionClock(since: origin) }

  /// Virtual time, in whole microseconds.
  package var now: Instant { clock.now }

  /// Virtual time goes back by so much, and on from there.
  package mutating func goBack(by interval: Interval) { clock.origin = clock.origin + interval }

  /// When to ask to be woken for something that is due at `deadline`.
  package func wakeUp(for deadline: Instant) -> Instant { deadline - lead.interval }

  /// Woken for something that is due at `deadline`; what is left until then, some microseconds, is
  /// waited for without sleeping.
  package mutating func woke(for deadline: Instant) {
    var now = now
    // Earlier than asked for says nothing: a long wait comes in two parts.
    guard now >= wakeUp(for: deadline) else { return }
    lead.observe(now - wakeUp(for: deadline))
    while now < deadline { now = self.now }
    lateness.add(now - deadline)
  }
}
