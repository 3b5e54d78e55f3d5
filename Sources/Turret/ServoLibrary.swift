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
