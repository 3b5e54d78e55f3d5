import Turret

/// What the servo was last told.
struct ServoState: Hashable {
  var degrees: UInt8
  /// Microseconds.
  var pulse: UInt16

  /// After a value was handed to the servo library.
  init(writing value: UInt16) {
    pulse = ServoLibrary.pulse(writing: Int16(bitPattern: value))
    degrees = ServoLibrary.degrees(reading: pulse)
  }

  /// After a servo event; nil for any other output.
  init?(_ output: Output?) {
    guard case .servo(let degrees, let microseconds) = output else { return nil }
    self.degrees = degrees
    pulse = microseconds
  }

  var output: Output { .servo(degrees: degrees, microseconds: pulse) }
}
