/// A scale and a shift for each axis: what a crop, a view and a face's box have in common.
///
/// A point is mapped by how far it is from the middle, so that the middle goes to the middle in
/// every bit: where an angle is cut to whole degrees the last bit counts.
struct Scaling: Transform {
  /// Scale.
  let x: Double
  let y: Double
  /// Shift of a corner, after scaling.
  let left: Double
  let low: Double
  /// Where (0.5, 0.5) goes.
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
