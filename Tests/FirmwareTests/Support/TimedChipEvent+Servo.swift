import AVR

extension TimedChipEvent {
  /// The servo's pulse width from the next period on, in clock cycles; nil for any other event.
  var servoCycles: UInt32? {
    guard case .waveform(let waveform) = event, waveform.unit == .OC1A else { return nil }
    return waveform.pulseCycles
  }

  /// Whether a width was stored in Timer 1's register.
  var isServoWrite: Bool { servoCycles != nil }

  /// The new level of the servo's pin; nil for any other event.
  var servoPin: Bool? {
    guard case .pin(Pin(.B, 1), let isHigh) = event else { return nil }
    return isHigh
  }
}
