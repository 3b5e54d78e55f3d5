package import Turret

/// Real time is only waiting: virtual time follows the computer's monotonic clock from where the session
/// began.
package struct Pacer: Sendable {
  private let origin: HostTime
  /// How late it woke when something was due.
  package private(set) var lateness = Lateness()

  /// A session that began at `origin`.
  package init(since origin: HostTime = .now) { self.origin = origin }

  /// Virtual time, in whole microseconds.
  package var now: Instant {
    .zero + .microseconds((HostTime.now - origin).nanoseconds / 1_000)
  }

  /// Something was due at `deadline`, and that is what the bench woke for.
  package mutating func woke(for deadline: Instant, at now: Instant) {
    lateness.add(now - deadline)
  }
}
