import Turret

/// The servo's last command.
struct ServoState: Hashable {
  var degrees: UInt8
  /// In microseconds.
  var pulse: UInt16

  /// The state after a value is passed to the servo library.
  init(writing value: UInt16) {
    pulse = ServoLibrary.pulse(writing: Int16(bitPattern: value))
    degrees = ServoLibrary.degrees(reading: pulse)
  }

  /// The state after an event of the session's own servo; nil for any other output.
  init?(_ output: Output?) {
    guard case .servo(let degrees, let microseconds, nil) = output else { return nil }
    self.degrees = degrees
    pulse = microseconds
  }

  var output: Output { .servo(degrees: degrees, microseconds: pulse) }
}
