import AVR

/// The limits of a servo's pulses, in cycles of a chip's clock.
struct PulseLimits: Hashable, Sendable {
  /// In microseconds.
  static let periods: ClosedRange<UInt64> = 3_000...25_000
  /// In microseconds.
  static let widths: ClosedRange<UInt64> = 400...2_600

  let periods: ClosedRange<UInt64>
  let widths: ClosedRange<UInt64>
  /// The period of a servo's pulses until it is measured: 20 ms.
  let usualPeriod: UInt64
  /// A level that lasts this long is not a pulse.
  let longest: UInt64
  /// Interrupts can move an edge by up to this much, so a smaller difference is not a new width.
  let jitter: UInt64
  private let cyclesPerMicrosecond: Double

  init(_ rate: ClockRate) {
    func cycles(_ range: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
      rate.cycles(inMicroseconds: range.lowerBound)...rate.cycles(inMicroseconds: range.upperBound)
    }
    periods = cycles(Self.periods)
    widths = cycles(Self.widths)
    usualPeriod = rate.cycles(inMicroseconds: 20_000)
    longest = periods.upperBound
    jitter = rate.cycles(inMicroseconds: 8)
    cyclesPerMicrosecond = Double(rate.hertz) / 1_000_000
  }

  /// Whether a width is the one with which servo libraries begin: 1 500 us.
  func isInitial(_ cycles: UInt64) -> Bool { abs(microseconds(cycles) - 1_500) <= 8 }

  func microseconds(_ cycles: UInt64) -> Double { Double(cycles) / cyclesPerMicrosecond }
}
