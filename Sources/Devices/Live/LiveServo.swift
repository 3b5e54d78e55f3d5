package import Turret

/// The last command of a servo other than the session's own.
package struct LiveServo: Hashable, Sendable {
  package let pin: BoardPin
  /// The commanded angle in degrees, and its pulse in microseconds.
  package let degrees: UInt8
  package let microseconds: UInt16
}
