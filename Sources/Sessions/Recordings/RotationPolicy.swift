package import Turret

/// The limits of a recording that runs for months.
package struct RotationPolicy: Hashable, Sendable {
  /// When a part reaches this size, a new one begins at the next quiet moment; at twice this size,
  /// at once.
  package var bytesMax: Int64
  /// The number of older parts to keep. The oldest is removed.
  package var keep: Int
  /// The time between attempts to write after a failure.
  var retryPeriod: Interval
  /// How often to check that the file is still there.
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
