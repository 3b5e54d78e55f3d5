/// The signal that one of a timer's compare units generates on its pin, as last configured.
///
/// Reported at the write that completes a change: to OCRnx (the low byte of a 16-bit one), the
/// waveform mode, the compare output mode, TOP, the clock select or the interrupt mask.
package struct OutputCompare: Hashable, Sendable, Saved {
  package enum Unit: String, Hashable, Sendable, Saved, CaseIterable {
    case OC0A, OC0B, OC1A, OC1B, OC2A, OC2B

    /// The Uno's digital pin that it can drive.
    package var arduinoPin: Int {
      switch self {
      case .OC0A: 6
      case .OC0B: 5
      case .OC1A: 9
      case .OC1B: 10
      case .OC2A: 11
      case .OC2B: 3
      }
    }
  }

  package var unit: Unit
  /// Whether the timer drives the pin: its compare output mode is not 0.
  package var drivesPin: Bool
  /// How long the pin is high in each period, in clock cycles. Nil if there is no pulse: the pin is
  /// not driven or not an output, or it toggles, or the clock is stopped.
  package var pulseCycles: UInt32?
  /// Clock cycles from the beginning of a pulse to that of the next; nil if `pulseCycles` is.
  package var periodCycles: UInt32?
  /// Clock cycles between compare matches, if the timer toggles the pin or its compare interrupt is
  /// enabled so that the program can; otherwise nil.
  package var matchCycles: UInt32?
  /// True if the timer toggles the pin and the pin is an output; otherwise nil.
  package var togglesOutput: Bool?

  package init(
    unit: Unit, drivesPin: Bool, pulseCycles: UInt32?, periodCycles: UInt32? = nil,
    matchCycles: UInt32?, togglesOutput: Bool? = nil
  ) {
    self.unit = unit
    self.drivesPin = drivesPin
    self.pulseCycles = pulseCycles
    self.periodCycles = periodCycles
    self.matchCycles = matchCycles
    self.togglesOutput = togglesOutput
  }
}
