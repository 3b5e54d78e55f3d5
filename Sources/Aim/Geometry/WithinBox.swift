/// Maps coordinates normalized within a box, such as a face's landmarks, to those of the picture
/// that contains the box.
public struct WithinBox: Transform {
  private let scaling: Scaling

  /// `box` must have a positive size.
  public init(_ box: Box) {
    scaling = Scaling(x: box.width, y: box.height, left: box.x, low: box.y, middle: box.centre)
  }

  public func apply(_ point: Point) -> Point { scaling.apply(point) }
  public func apply(_ box: Box) -> Box { scaling.apply(box) }
  public func undo(_ point: Point) -> Point { scaling.undo(point) }
  public func undo(_ box: Box) -> Box { scaling.undo(box) }
}
