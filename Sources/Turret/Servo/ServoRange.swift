/// The pulses, in microseconds, with which a sketch attached a servo: those of 0 and 180 degrees.
package struct ServoRange: Hashable, Sendable {
  package let minimum: UInt16
  package let maximum: UInt16

  /// The range of an `attach` without limits.
  package static let standard = ServoRange()

  private init() {
    minimum = ServoLibrary.minimumPulse
    maximum = ServoLibrary.maximumPulse
  }

  /// Returns nil unless the first pulse is the shorter one.
  package init?(_ minimum: UInt16, _ maximum: UInt16) {
    guard minimum < maximum else { return nil }
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Returns the angle, in degrees, that the servo library's `read()` returns for any pulse.
  package func degrees(reading pulse: UInt16) -> UInt8 {
    let pulse = Int32(min(max(pulse, minimum), maximum))
    let degrees = (pulse + 1 - Int32(minimum)) * 180 / Int32(maximum - minimum)
    return UInt8(truncatingIfNeeded: min(degrees, 180))
  }
}
