/// A scale and a shift for each axis, as used by crops, views and the boxes of faces.
///
/// A point is mapped by its distance from the middle, so that the middle is mapped to the middle
/// exactly. If an angle is truncated to whole degrees, the last bit matters.
struct Scaling: Transform {
  /// Scale.
  let x: Double
  let y: Double
  /// The position of the corner after scaling.
  let left: Double
  let low: Double
  /// The point to which (0.5, 0.5) is mapped.
  let middle: Point

  func apply(_ point: Point) -> Point {
    Point(
      left == 0 ? point.x * x : middle.x + (point.x - 0.5) * x,
      low == 0 ? point.y * y : middle.y + (point.y - 0.5) * y)
  }

  func apply(_ box: Box) -> Box {
    Box(box.x * x + left, box.y * y + low, box.width * x, box.height * y)
  }

  func undo(_ point: Point) -> Point {
    Point(
      left == 0 ? point.x / x : (point.x - middle.x) / x + 0.5,
      low == 0 ? point.y / y : (point.y - middle.y) / y + 0.5)
  }

  func undo(_ box: Box) -> Box {
    Box((box.x - left) / x, (box.y - low) / y, box.width / x, box.height / y)
  }
}
