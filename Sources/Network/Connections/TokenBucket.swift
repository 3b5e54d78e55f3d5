package import Sketches

/// Allows a number of events per second, and saves up the unused ones of one second.
package struct TokenBucket: Hashable, Sendable {
  private let perSecond: Int64
  /// In billionths of an event, so that rounding loses nothing.
  private var saved: Int64
  private var time: Instant

  /// - Parameter perSecond: at least 1.
  package init(perSecond: Int, at start: Instant) {
    self.perSecond = Int64(min(max(perSecond, 1), 1_000_000_000))
    saved = self.perSecond * 1_000_000_000
    time = start
  }

  /// Takes one event; returns false if none is left.
  package mutating func take(at now: Instant) -> Bool {
    let full = perSecond * 1_000_000_000
    let passed = max((now - time).nanoseconds, 0)
    time = max(now, time)
    // A second or more fills the bucket, and a longer product would overflow.
    saved = passed >= 1_000_000_000 ? full : min(saved + passed * perSecond, full)
    guard saved >= 1_000_000_000 else { return false }
    saved -= 1_000_000_000
    return true
  }
}
