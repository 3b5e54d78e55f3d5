package import Turret

/// The beginning of a lasting difference between the angle that was commanded and the one that
/// should have been.
package struct AngleParting: Hashable, Sendable {
  package var time: Instant
  /// The two angles in degrees, at the time when the difference was certain.
  package var own: UInt8
  package var wanted: UInt8
}
