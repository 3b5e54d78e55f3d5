/// Maps between a picture and the largest square at its centre, both normalized. `apply` maps the
/// picture to the square (outside 0...1 for the parts cut off), `undo` maps the square to the
/// picture.
public struct SquareCrop: Transform {
  private let toWhole: Scaling

  /// `picture`: the size of the upright picture in pixels, within `Size.range`.
  public init(of picture: Size) {
    let side = min(picture.width, picture.height)
    toWhole = Scaling(
      x: side / picture.width, y: side / picture.height,
      left: (picture.width - side) / 2 / picture.width,
      low: (picture.height - side) / 2 / picture.height, middle: Point(0.5, 0.5))
  }

  public func apply(_ point: Point) -> Point { toWhole.undo(point) }
  public func apply(_ box: Box) -> Box { toWhole.undo(box) }
  public func undo(_ point: Point) -> Point { toWhole.apply(point) }
  public func undo(_ box: Box) -> Box { toWhole.apply(box) }
}
