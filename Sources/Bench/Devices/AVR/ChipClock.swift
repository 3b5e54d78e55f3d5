import Turret

/// Where a chip's clock cycles lie in a session: 62.5 ns each at 16 MHz, counted from power-on.
struct ChipClock: Hashable, Sendable {
  /// The cycle at the session's time 0.
  var origin: UInt64 = 0

  /// The instant of a cycle; half nanoseconds are rounded up.
  func instant(of cycle: UInt64) -> Instant {
    let cycles = Int64(bitPattern: cycle &- origin)
    return Instant(nanoseconds: (cycles * 125 + 1) >> 1)
  }

  /// The first cycle that does not begin before the instant.
  func cycle(of instant: Instant) -> UInt64 {
    let cycles = (instant.nanoseconds * 2 + 124) / 125
    return origin &+ UInt64(bitPattern: cycles)
  }

  static func cycles(in interval: Interval) -> UInt64 {
    UInt64(max(0, interval.nanoseconds * 2 / 125))
  }
}
