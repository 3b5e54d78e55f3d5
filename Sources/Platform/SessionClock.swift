package import Turret

/// The time of a session that follows the monotonic clock.
package struct SessionClock: Hashable, Sendable {
  /// The moment of the session's time 0.
  package var origin: HostTime

  /// Creates the clock of a session that began at `origin`.
  package init(since origin: HostTime = .now) { self.origin = origin }

  /// The session's time, in whole microseconds.
  package var now: Instant {
    .zero + .microseconds((HostTime.now - origin).nanoseconds / 1_000)
  }
}
