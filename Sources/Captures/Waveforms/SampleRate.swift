import Sketches

/// Samples a second: the grid on which a waveform is drawn.
package struct SampleRate: Hashable, Sendable {
  package static let limits: ClosedRange<Int64> = 1_000...1_000_000_000
  package static let standard = SampleRate(hertz: 1_000_000)
  /// The fewest samples per bit from which every decoder can read a byte: a UART itself samples a
  /// bit 8 times.
  static let samplesPerBit: Int64 = 8

  package let hertz: Int64

  init(hertz: Int64) { self.hertz = hertz }

  /// Parses a frequency: a whole number with `Hz`, `kHz`, `MHz`, `GHz`, or without a unit. Nil for
  /// anything else, and for rates outside the limits.
  package init?(_ text: String) {
    var digits: Int64 = 0
    var rest = Substring(text)
    guard let first = rest.utf8.first, first >= 0x30, first <= 0x39 else { return nil }
    while let digit = rest.utf8.first, digit >= 0x30, digit <= 0x39 {
      guard digits <= Self.limits.upperBound else { return nil }
      digits = digits * 10 + Int64(digit - 0x30)
      rest.removeFirst()
    }
    if rest.utf8.first == 0x20 { rest.removeFirst() }
    guard let unit = Self.units.first(where: { rest == $0.name || rest == $0.short }) else {
      return nil
    }
    let (product, overflows) = digits.multipliedReportingOverflow(by: unit.factor)
    guard !overflows, Self.limits.contains(product) else { return nil }
    hertz = product
  }

  private static let units: [(name: Substring, short: Substring, factor: Int64)] = [
    ("GHz", "G", 1_000_000_000), ("MHz", "M", 1_000_000), ("kHz", "k", 1_000), ("Hz", "", 1),
  ]

  /// The rate in the largest unit that keeps it whole, as in `24 MHz`.
  package var text: String {
    for unit in Self.units where hertz % unit.factor == 0 {
      return "\(hertz / unit.factor) \(unit.name)"
    }
    return "\(hertz) Hz"
  }

  /// The lowest rate, not below this one, whose period is 1, 10 or 100 of a unit, as VCD requires.
  var decimal: SampleRate {
    var decimal = Self.limits.lowerBound
    while decimal < hertz { decimal *= 10 }
    return SampleRate(hertz: decimal)
  }

  /// Returns the sample nearest to an instant.
  func tick(of instant: Instant) -> Int64 {
    let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return seconds * hertz + (rest * hertz + 500_000_000) / 1_000_000_000
  }

  /// Throws unless bytes at a speed can be drawn.
  func check(baud: Int) throws(CaptureError) {
    let needed = SampleRate(hertz: Int64(baud) * Self.samplesPerBit)
    guard hertz >= needed.hertz else {
      throw CaptureError(
        .usage,
        "expected at least \(Self.samplesPerBit) samples a bit: \(text) is too low for \(baud) "
          + "baud; --samplerate \"\(needed.text)\" or more is enough")
    }
  }
}
