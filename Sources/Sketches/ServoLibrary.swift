/// The Arduino servo library's integer arithmetic, as on an Uno.
package enum ServoLibrary {
  /// The shortest and longest pulse after an `attach` without limits, in microseconds.
  package static let minimumPulse: UInt16 = 544
  package static let maximumPulse: UInt16 = 2_400

  /// Returns the pulse, in microseconds, that `write(value)` stores. Below 544 the value is an
  /// angle, clamped to 0...180 degrees; from 544 on it is the pulse itself, clamped to 544...2400.
  @inline(__always) package static func pulse(writing value: Int16) -> UInt16 {
    let value = Int32(value)
    if value >= 544 { return UInt16(truncatingIfNeeded: min(value, 2_400)) }
    let degrees = min(max(value, 0), 180)
    return UInt16(truncatingIfNeeded: 544 + degrees * 1_856 / 180)
  }

  /// Returns the angle, in degrees, that `read()` returns for a pulse of 544...2400 microseconds.
  @inline(__always) package static func degrees(reading pulse: UInt16) -> UInt8 {
    UInt8(truncatingIfNeeded: (Int32(pulse) + 1 - 544) * 180 / 1_856)
  }
}

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
