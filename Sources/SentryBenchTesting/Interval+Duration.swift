import Sketches

extension Interval {
  /// The longest session, about 31 years. A trace has no later time.
  private static let secondsMax: Int64 = 999_999_999

  /// Throws `TurretError` if the duration is negative or longer than any session.
  init(_ duration: Duration) throws(TurretError) {
    let (seconds, attoseconds) = duration.components
    guard duration >= .zero, seconds <= Self.secondsMax else {
      throw TurretError("expected a time from 0 to \(Self.secondsMax) s, found \(duration)")
    }
    self = .nanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  /// Throws `TurretError` if the duration is shorter than a nanosecond or longer than any session.
  init(positive duration: Duration) throws(TurretError) {
    try self.init(duration)
    guard self > .zero else { throw TurretError("expected a time over 0 s, found \(duration)") }
  }
}

extension Instant {
  /// The time since the session's start.
  var duration: Duration { .nanoseconds(nanoseconds) }

  /// Throws `TurretError` if a session cannot have such a time.
  init(_ duration: Duration) throws(TurretError) {
    self = (.zero + (try Interval(duration))).roundedUpToMicrosecond
  }
}
