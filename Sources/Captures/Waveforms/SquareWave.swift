import Turret

/// The edges of a tone, generated as they are needed, since a tone can last for hours.
struct SquareWave {
  private let start: Instant
  /// In nanoseconds.
  private let halfPeriod: Double
  /// The number of edges so far. The first, at the start, is rising.
  private var count = 0.0

  /// Creates the wave; nil for silence.
  init?(hertz: Double, from start: Instant) {
    guard hertz > 0 else { return nil }
    self.start = start
    halfPeriod = 5e8 / hertz
  }

  /// Whether the edges are at least one sample apart.
  func isVisible(at rate: SampleRate) -> Bool { halfPeriod * Double(rate.hertz) >= 1e9 }

  /// Returns the next edge if it is before `end`.
  mutating func next(before end: Instant) -> (instant: Instant, isHigh: Bool)? {
    let past = (count * halfPeriod).rounded()
    // Far beyond any session, and small enough for the sum.
    guard past < 4e18 else { return nil }
    let instant = start + Interval(nanoseconds: Int64(past))
    guard instant < end else { return nil }
    defer { count += 1 }
    return (instant, count.truncatingRemainder(dividingBy: 2) == 0)
  }
}
