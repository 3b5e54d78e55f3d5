package import Turret

/// How long to wait before the next attempt: twice as long after each that failed, with a random part so
/// that several clients of one server do not come back in step.
package struct BackOff: Hashable, Sendable {
  private let first: Interval
  private let most: Interval
  private var next: Interval

  package init(first: Interval, most: Interval) {
    self.first = first
    self.most = most
    next = first
  }

  /// The wait after one more failure: between the half and the whole of its step.
  package mutating func wait(using random: inout some RandomNumberGenerator) -> Interval {
    defer { next = min(most, .nanoseconds(next.nanoseconds * 2)) }
    let whole = max(0, next.nanoseconds)
    return .nanoseconds(Int64.random(in: whole / 2...whole, using: &random))
  }

  /// It worked.
  package mutating func reset() { next = first }
}
