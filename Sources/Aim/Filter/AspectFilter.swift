/// Keeps boxes whose width divided by height, in pixels, is within a range, including its ends.
public struct AspectFilter: ObservationFilter {
  /// Width divided by height: 1 is a square, below 1 is upright.
  public var ratio: ClosedRange<Double>
  /// The size of the picture to which the boxes are normalized, in pixels.
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
