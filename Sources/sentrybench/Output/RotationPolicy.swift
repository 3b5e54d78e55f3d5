import Turret

/// How a recording that goes on for months is kept in bounds.
struct RotationPolicy: Hashable, Sendable {
  /// A part that has grown to this is followed by a new one at the next quiet moment, at twice this at
  /// once.
  var bytesMax: Int64 = 64_000_000
  /// So many older parts are kept; the oldest goes.
  var keep = 5
  /// What could not be written is tried again so often.
  var retryPeriod = Interval.seconds(30)
  /// How often it is checked that the file is still there.
  var lookPeriod = Interval.milliseconds(500)
}
