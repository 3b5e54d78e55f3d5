/// From coordinates normalized within a box, as a face's landmarks are, to those of the picture
/// that the box is in.
public struct WithinBox: Transform {
  private let scaling: Scaling

  /// `box`: of a size above zero.
  public init(_ box: Box) {
    scaling = Scaling(x: box.width, y: box.height, left: box.x, low: box.y, middle: box.centre)
  }

  public func apply(_ point: Point) -> Point { scaling.apply(point) }
  public func apply(_ box: Box) -> Box { scaling.apply(box) }
  public func undo(_ point: Point) -> Point { scaling.undo(point) }
  public func undo(_ box: Box) -> Box { scaling.undo(box) }
}
