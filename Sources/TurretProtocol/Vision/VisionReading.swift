/// The latest reading of the robot vision phone, as in its answer:
/// `timestamp|angle^15.2|distance^4.3`, or the same as a JSON object.
package struct VisionReading: Hashable, Sendable {
  /// As the phone wrote it, in any form; empty if there was none.
  package var timestamp: String
  /// Degrees from the centre of the picture, finite; nil if there is no target.
  package var angle: Double?
  /// In the phone's unit. It does not affect aiming, so an invalid distance is nil and not refused.
  package var distance: Double?

  package init(timestamp: String, angle: Double?, distance: Double? = nil) {
    self.timestamp = timestamp
    self.angle = angle
    self.distance = distance
  }

  /// The degrees for the servo: 90 is the centre, and positive angles are added. Rounded to the
  /// nearest whole degree, with halves away from zero, and clamped to the servo's range. nil if
  /// there is no target.
  package var degrees: UInt8? {
    angle.map { UInt8(max(0, min(180, (90 + $0).rounded(.toNearestOrAwayFromZero)))) }
  }
}
