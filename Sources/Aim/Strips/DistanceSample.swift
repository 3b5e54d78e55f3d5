/// A measurement for `DistanceRegression`: at this distance the target took up this share of the
/// frame.
public struct DistanceSample: Hashable, Sendable {
  /// The share of the frame's area, above 0, at most 1.
  public var share: Double
  /// The distance, above 0, in the unit in which distances are to be returned.
  public var distance: Double

  public init(share: Double, distance: Double) {
    self.share = share
    self.distance = distance
  }
}
