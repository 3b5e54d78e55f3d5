import AVR
import Sketches

/// The position of a chip's clock cycles in a session: 62.5 ns each at 16 MHz, counted from
/// power-on.
struct ChipClock: Hashable, Sendable {
  private static let second: Int64 = 1_000_000_000

  /// The cycle at the session's time 0.
  var origin: UInt64 = 0
  /// This many cycles take this many nanoseconds: 2 and 125 at 16 MHz.
  private let cycles: Int64
  private let nanoseconds: Int64
  /// Later cycles, which only a state that somebody has rewritten can have, count as this one, so
  /// that the sum of a few instants does not overflow.
  private let groupsMax: Int64

  init(_ rate: ClockRate, origin: UInt64 = 0) {
    let hertz = Int64(rate.hertz)
    var (divisor, rest) = (Self.second, hertz)
    while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
    cycles = hertz / divisor
    nanoseconds = Self.second / divisor
    groupsMax = (1 << 61) / nanoseconds
    self.origin = origin
  }

  /// How long a board that is already running has run before the session, in cycles.
  var unseen: UInt64 { cycles(in: AVRProgram.startUpMax) }

  /// Returns the instant of a cycle. Half nanoseconds are rounded up.
  func instant(of cycle: UInt64) -> Instant {
    // In groups of whole nanoseconds, so that no product exceeds the result by much.
    let (all, rest) = Int64(bitPattern: cycle &- origin).quotientAndRemainder(dividingBy: cycles)
    let groups = min(max(all, -groupsMax), groupsMax)
    return Instant(
      nanoseconds: groups &* nanoseconds &+ (rest * nanoseconds + cycles / 2) / cycles)
  }

  /// Returns the first cycle that does not begin before the instant.
  func cycle(of instant: Instant) -> UInt64 {
    let (groups, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: nanoseconds)
    let cycle = groups * cycles + (rest * cycles + nanoseconds - 1) / nanoseconds
    return origin &+ UInt64(bitPattern: cycle)
  }

  /// Returns the last instant at which nothing that begins with a cycle has happened; one before
  /// time 0 if the session begins with it.
  func lastInstant(before cycle: UInt64) -> Instant {
    guard cycle > origin else { return .zero - .nanoseconds(1) }
    var instant = instant(of: cycle &- 1)
    // It is rounded.
    while self.cycle(of: instant) >= cycle { instant = instant - .nanoseconds(1) }
    return instant
  }

  func cycles(in interval: Interval) -> UInt64 {
    let (groups, rest) = max(0, interval.nanoseconds)
      .quotientAndRemainder(dividingBy: nanoseconds)
    return UInt64(groups * cycles + rest * cycles / nanoseconds)
  }
}
