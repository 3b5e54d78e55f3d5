/// A measurement for `DistanceRegression`: at this distance the target took this share of the
/// frame.
public struct DistanceSample: Hashable, Sendable {
  /// Share of the frame's area, above 0, at most 1.
  public var share: Double
  /// In the unit that answers are wanted in, above 0.
  public var distance: Double

  public init(share: Double, distance: Double) {
    self.share = share
    self.distance = distance
  }
}
