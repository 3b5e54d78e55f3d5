import Turret

/// The position of a chip's clock cycles in a session: 62.5 ns each at 16 MHz, counted from
/// power-on.
struct ChipClock: Hashable, Sendable {
  /// The cycle at the session's time 0.
  var origin: UInt64 = 0

  /// How long a board that is already running has run before the session, in cycles.
  static let unseen = cycles(in: AVRProgram.startUpMax)

  /// Whether this clock is possible. A clock read from a file may be invalid.
  var isPossible: Bool { origin == 0 || origin == Self.unseen }

  /// Returns the instant of a cycle. Half nanoseconds are rounded up.
  func instant(of cycle: UInt64) -> Instant {
    // Two cycles are 125 ns, so no product exceeds the result.
    let (pairs, odd) = Int64(bitPattern: cycle &- origin).quotientAndRemainder(dividingBy: 2)
    return Instant(nanoseconds: pairs * 125 + (odd * 125 + 1) >> 1)
  }

  /// Returns the first cycle that does not begin before the instant.
  func cycle(of instant: Instant) -> UInt64 {
    let (pairs, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 125)
    return origin &+ UInt64(bitPattern: pairs * 2 + (rest * 2 + 124) / 125)
  }

  static func cycles(in interval: Interval) -> UInt64 {
    let (pairs, rest) = max(0, interval.nanoseconds).quotientAndRemainder(dividingBy: 125)
    return UInt64(pairs * 2 + rest * 2 / 125)
  }
}
