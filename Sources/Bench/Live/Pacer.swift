package import Turret

/// Real time is only waiting: virtual time follows the computer's monotonic clock from where the session
/// began. Nothing else reads a clock.
package struct Pacer: Sendable {
  private let clock = SuspendingClock()
  private let origin: SuspendingClock.Instant
  /// How late it woke when something was due.
  package private(set) var lateness = Lateness()

  /// A session that begins now.
  package init() { origin = clock.now }

  /// Virtual time, in whole microseconds.
  package var now: Instant {
    let (seconds, attoseconds) = (clock.now - origin).components
    return .zero + .microseconds(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }

  /// Something was due at `deadline`, and that is what the bench woke for.
  package mutating func woke(for deadline: Instant, at now: Instant) {
    lateness.add(now - deadline)
  }
}
