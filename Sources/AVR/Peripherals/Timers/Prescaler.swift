/// A free-running ten-bit counter, of which a timer's clock is one bit. Timers 0 and 1 share one
/// and Timer 2 has its own. Selecting another bit does not reset it; only GTCCR does.
struct Prescaler: Hashable, Sendable, Saved {
  /// The cycle at which the counter was 0.
  private var zero: UInt64

  init(at cycle: UInt64) { zero = cycle }

  mutating func reset(at cycle: UInt64) { zero = cycle }

  /// Shifts the phase: the counter was stopped for this many cycles.
  mutating func pause(for cycles: UInt64) { zero &+= cycles }

  /// The last edge at or before `cycle` of the clock divided by 2^`shift`.
  func lastEdge(before cycle: UInt64, shift: UInt8) -> UInt64 {
    cycle &- ((cycle &- zero) & ((1 << UInt64(shift)) - 1))
  }

  /// The divisor selected by Timer 0's or Timer 1's clock select bits, as a power of two; nil if
  /// the clock is stopped or external.
  static func synchronous(_ clockSelect: UInt8) -> UInt8? {
    switch clockSelect & 0b111 {
    case 1: 0
    case 2: 3
    case 3: 6
    case 4: 8
    case 5: 10
    default: nil
    }
  }

  /// The divisor selected by Timer 2's clock select bits, as a power of two; nil if the clock is
  /// stopped.
  static func asynchronous(_ clockSelect: UInt8) -> UInt8? {
    switch clockSelect & 0b111 {
    case 1: 0
    case 2: 3
    case 3: 5
    case 4: 6
    case 5: 7
    case 6: 8
    case 7: 10
    default: nil
    }
  }
}
