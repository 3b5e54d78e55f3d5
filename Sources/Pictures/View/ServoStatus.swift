package import Sketches

/// What the live view shows of a servo other than the session's own.
package struct ServoStatus: Hashable, Sendable {
  package var pin: BoardPin
  /// The commanded angle in degrees, and its pulse.
  package var commandedDegrees: UInt8
  package var commandedMicroseconds: UInt16
  /// The shaft's angle in degrees, and whether it is moving.
  package var shaftDegrees: Double
  package var isShaftMoving: Bool

  package init(
    pin: BoardPin, commandedDegrees: UInt8, commandedMicroseconds: UInt16, shaftDegrees: Double,
    isShaftMoving: Bool
  ) {
    self.pin = pin
    self.commandedDegrees = commandedDegrees
    self.commandedMicroseconds = commandedMicroseconds
    self.shaftDegrees = shaftDegrees
    self.isShaftMoving = isShaftMoving
  }
}
