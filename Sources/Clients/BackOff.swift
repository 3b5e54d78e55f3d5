package import Turret

/// The wait before the next attempt. It doubles after each failure and has a random part, so that
/// several clients of one server do not reconnect at the same time.
package struct BackOff: Hashable, Sendable {
  private let first: Interval
  private let most: Interval
  private var next: Interval

  package init(first: Interval, most: Interval) {
    self.first = first
    self.most = most
    next = first
  }

  /// The wait after another failure: at least half of the present step, at most all of it.
  package mutating func wait(using random: inout some RandomNumberGenerator) -> Interval {
    defer { next = min(most, .nanoseconds(next.nanoseconds * 2)) }
    let whole = max(0, next.nanoseconds)
    return .nanoseconds(Int64.random(in: whole / 2...whole, using: &random))
  }

  /// Resets the wait after a success.
  package mutating func reset() { next = first }
}
