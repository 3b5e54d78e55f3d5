package import Turret

/// How a recording that goes on for months is kept in bounds.
package struct RotationPolicy: Hashable, Sendable {
  /// A part that has grown to this is followed by a new one at the next quiet moment, at twice this
  /// at once.
  package var bytesMax: Int64
  /// So many older parts are kept; the oldest goes.
  package var keep: Int
  /// What could not be written is tried again so often.
  var retryPeriod: Interval
  /// How often it is checked that the file is still there.
  var lookPeriod: Interval

  package init(
    bytesMax: Int64 = 64_000_000, keep: Int = 5, retryPeriod: Interval = .seconds(30),
    lookPeriod: Interval = .milliseconds(500)
  ) {
    self.bytesMax = bytesMax
    self.keep = keep
    self.retryPeriod = retryPeriod
    self.lookPeriod = lookPeriod
  }
}
