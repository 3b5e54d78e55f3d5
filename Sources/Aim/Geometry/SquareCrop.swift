/// From a picture to the biggest square about its centre, normalized in both: `apply` from the
/// whole picture to the square (outside 0...1 for what is cut off), `undo` from the square to the
/// whole.
public struct SquareCrop: Transform {
  private let toWhole: Scaling

  /// `picture`: the upright picture's size, pixels; usable (see `Size`).
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
