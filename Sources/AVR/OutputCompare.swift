/// What one of a timer's compare units makes of its pin, as the program last set it up.
///
/// Put out at the write that completes a change: to OCRnx (the low byte of a 16-bit one), to the
/// waveform mode or the compare output mode, to TOP, to the clock select, or to the interrupt mask.
package struct OutputCompare: Hashable, Sendable {
  package enum Unit: String, Hashable, Sendable, Saved, CaseIterable {
    case OC0A, OC0B, OC1A, OC1B, OC2A, OC2B
  }

  package var unit: Unit
  /// Whether the timer drives the pin itself: its compare output mode is not 0.
  package var drivesPin: Bool
  /// How long the pin is high in each period, in clock cycles; nil where it makes no pulse: the pin
  /// is not driven, toggles, or the clock is stopped.
  package var pulseCycles: UInt32?
  /// From compare match to compare match in clock cycles where the timer toggles the pin, or where
  /// its compare interrupt is on so that a program can; nil elsewhere.
  package var matchCycles: UInt32?

  package init(unit: Unit, drivesPin: Bool, pulseCycles: UInt32?, matchCycles: UInt32?) {
    self.unit = unit
    self.drivesPin = drivesPin
    self.pulseCycles = pulseCycles
    self.matchCycles = matchCycles
  }
}
