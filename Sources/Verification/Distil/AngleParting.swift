package import Turret

/// The beginning of a lasting difference between where the servo was commanded and where it should
/// have been.
package struct AngleParting: Hashable, Sendable {
  package var time: Instant
  /// In degrees, when the difference was certain.
  package var own: UInt8
  package var wanted: UInt8
}
