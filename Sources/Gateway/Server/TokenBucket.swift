package import Turret

/// So many a second, and what was not used of one second saved up.
package struct TokenBucket: Hashable, Sendable {
  private let perSecond: Int64
  /// In billionths, so that nothing is lost to rounding.
  private var saved: Int64
  private var time: Instant

  /// - Parameter perSecond: at least 1.
  package init(perSecond: Int, at start: Instant) {
    self.perSecond = Int64(min(max(perSecond, 1), 1_000_000_000))
    saved = self.perSecond * 1_000_000_000
    time = start
  }

  /// Takes one; false: there is none left.
  package mutating func take(at now: Instant) -> Bool {
    let full = perSecond * 1_000_000_000
    let passed = max((now - time).nanoseconds, 0)
    time = max(now, time)
    // A second and more fills it, and a longer product would not fit.
    saved = passed >= 1_000_000_000 ? full : min(saved + passed * perSecond, full)
    guard saved >= 1_000_000_000 else { return false }
    saved -= 1_000_000_000
    return true
  }
}
