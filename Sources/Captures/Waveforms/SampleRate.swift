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
    guard !text.utf8.contains(UInt8(ascii: ".")), let hertz = LogicRecording.rate(text),
      Self.limits.contains(hertz)
    else { return nil }
    self.hertz = hertz
  }

  /// The rate in the largest unit that keeps it whole, as in `24 MHz`.
  package var text: String {
    let units: [(name: String, hertz: Int64)] = [
      ("GHz", 1_000_000_000), ("MHz", 1_000_000), ("kHz", 1_000),
    ]
    for unit in units where hertz % unit.hertz == 0 { return "\(hertz / unit.hertz) \(unit.name)" }
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
