/// A moment of virtual time: whole nanoseconds since the start of the session.
///
/// Usable from inline, because otherwise other modules inline nothing of a `package` type.
@usableFromInline
package struct Instant: Hashable, Comparable, Sendable, Codable {
  @usableFromInline package var nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of the session.
  @inlinable package static var zero: Instant { Instant(nanoseconds: 0) }
  /// So far away that no session comes near it, and that sums of a few such times do not overflow.
  @inlinable package static var distantFuture: Instant { Instant(nanoseconds: 1 << 62) }

  /// Seconds since the start, rounded to a `Double`. For pictures and fits, never for comparisons.
  @inlinable package var seconds: Double { Double(nanoseconds) / 1e9 }

  /// The first whole microsecond that is not before this instant.
  ///
  /// A device's outputs are stamped in whole microseconds. Rounding up keeps cause before effect.
  @inlinable package var roundedUpToMicrosecond: Instant {
    // No session begins before zero, and unsigned division is faster.
    let whole = UInt64(bitPattern: nanoseconds &+ 999) / 1_000
    return Instant(nanoseconds: Int64(bitPattern: whole &* 1_000))
  }

  @inlinable package static func < (a: Instant, b: Instant) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
  // Without these, other modules compare through the witness table, for each output of a session.
  @inlinable package static func <= (a: Instant, b: Instant) -> Bool {
    a.nanoseconds <= b.nanoseconds
  }
  @inlinable package static func > (a: Instant, b: Instant) -> Bool {
    a.nanoseconds > b.nanoseconds
  }
  @inlinable package static func >= (a: Instant, b: Instant) -> Bool {
    a.nanoseconds >= b.nanoseconds
  }
  @inlinable package static func + (instant: Instant, interval: Interval) -> Instant {
    Instant(nanoseconds: instant.nanoseconds + interval.nanoseconds)
  }
  @inlinable package static func - (instant: Instant, interval: Interval) -> Instant {
    Instant(nanoseconds: instant.nanoseconds - interval.nanoseconds)
  }
  @inlinable package static func - (a: Instant, b: Instant) -> Interval {
    Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable package static func += (instant: inout Instant, interval: Interval) {
    instant.nanoseconds += interval.nanoseconds
  }
}

/// A length of time in whole nanoseconds. It can be negative.
///
/// Usable from inline, as `Instant`.
@usableFromInline
package struct Interval: Hashable, Comparable, Sendable, Codable {
  @usableFromInline package var nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable package static var zero: Interval { Interval(nanoseconds: 0) }

  @inlinable package static func nanoseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count)
  }
  @inlinable package static func microseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000)
  }
  @inlinable package static func milliseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000_000)
  }
  @inlinable package static func seconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000_000_000)
  }

  /// The length in seconds, rounded to a `Double`. For pictures and fits, never for comparisons.
  @inlinable package var seconds: Double { Double(nanoseconds) / 1e9 }
  @inlinable package var magnitude: Interval { Interval(nanoseconds: abs(nanoseconds)) }

  @inlinable package static func < (a: Interval, b: Interval) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
  @inlinable package static func + (a: Interval, b: Interval) -> Interval {
    Interval(nanoseconds: a.nanoseconds + b.nanoseconds)
  }
  @inlinable package static func - (a: Interval, b: Interval) -> Interval {
    Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable package static prefix func - (a: Interval) -> Interval {
    Interval(nanoseconds: -a.nanoseconds)
  }
}

/// A moment of the computer's monotonic clock, which `Platform` reads.
///
/// Usable from inline, as `Instant`.
@usableFromInline
package struct HostTime: Hashable, Comparable, Sendable {
  /// Counted from an arbitrary moment before the program began.
  @usableFromInline package var nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  @inlinable package static func < (a: HostTime, b: HostTime) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
  @inlinable package static func + (time: HostTime, interval: Interval) -> HostTime {
    HostTime(nanoseconds: time.nanoseconds + interval.nanoseconds)
  }
  @inlinable package static func - (a: HostTime, b: HostTime) -> Interval {
    .nanoseconds(a.nanoseconds - b.nanoseconds)
  }

  /// Returns the time of a session that began at `origin`, in whole microseconds.
  @inlinable package func sessionTime(since origin: HostTime) -> Instant {
    .zero + .microseconds((self - origin).nanoseconds / 1_000)
  }
}
