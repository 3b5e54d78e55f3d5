/// Keeps boxes whose width over height, in pixels, is within a range, its ends included.
public struct AspectFilter: ObservationFilter {
  /// Width over height: 1 is a square, below 1 is upright.
  public var ratio: ClosedRange<Double>
  /// What the boxes are normalized to, pixels.
  public var picture: Size

  public init(_ ratio: ClosedRange<Double>, picture: Size) {
    self.ratio = ratio
    self.picture = picture
  }

  public func callAsFunction(_ found: [Observation]) -> [Observation] {
    found.filter {
      guard let box = $0.box, box.height > 0 else { return false }
      return ratio.contains(box.width * picture.width / (box.height * picture.height))
    }
  }
}
