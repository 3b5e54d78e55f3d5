import Turret

/// Where a chip's clock cycles lie in a session: 62.5 ns each at 16 MHz, counted from power-on.
struct ChipClock: Hashable, Sendable {
  /// The cycle at the session's time 0.
  var origin: UInt64 = 0

  /// The time a board has been running that no session has seen the beginning of.
  static let unseen = cycles(in: AVRProgram.startUpMax)

  /// Whether a session's clock can be like this: one that was read from a file may not.
  var isPossible: Bool { origin == 0 || origin == Self.unseen }

  /// The instant of a cycle; half nanoseconds are rounded up.
  func instant(of cycle: UInt64) -> Instant {
    // Two cycles are 125 ns; no product is larger than what comes of it.
    let (pairs, odd) = Int64(bitPattern: cycle &- origin).quotientAndRemainder(dividingBy: 2)
    return Instant(nanoseconds: pairs * 125 + (odd * 125 + 1) >> 1)
  }

  /// The first cycle that does not begin before the instant.
  func cycle(of instant: Instant) -> UInt64 {
    let (pairs, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 125)
    return origin &+ UInt64(bitPattern: pairs * 2 + (rest * 2 + 124) / 125)
  }

  static func cycles(in interval: Interval) -> UInt64 {
    let (pairs, rest) = max(0, interval.nanoseconds).quotientAndRemainder(dividingBy: 125)
    return UInt64(pairs * 2 + rest * 2 / 125)
  }
}
