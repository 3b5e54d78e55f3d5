import AVR

extension TimedChipEvent {
  /// How long the servo's pulse is from the next frame on, in clock cycles; nil: this is something
  /// else.
  var servoCycles: UInt32? {
    guard case .waveform(let waveform) = event, waveform.unit == .OC1A else { return nil }
    return waveform.pulseCycles
  }

  /// Whether a width was stored in Timer 1's register.
  var isServoWrite: Bool { servoCycles != nil }

  /// The level that the servo's pin has from now on; nil: this is something else.
  var servoPin: Bool? {
    guard case .pin(Pin(.B, 1), let isHigh) = event else { return nil }
    return isHigh
  }
}
