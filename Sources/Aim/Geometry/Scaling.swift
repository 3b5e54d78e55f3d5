/// A scale and a shift for each axis: what a crop, a view and a face's box have in common.
struct Scaling: Transform {
  /// Scale.
  let x: Double
  let y: Double
  /// Shift, after scaling.
  let left: Double
  let low: Double

  func apply(_ point: Point) -> Point { Point(point.x * x + left, point.y * y + low) }

  func apply(_ box: Box) -> Box {
    Box(box.x * x + left, box.y * y + low, box.width * x, box.height * y)
  }

  func undo(_ point: Point) -> Point { Point((point.x - left) / x, (point.y - low) / y) }

  func undo(_ box: Box) -> Box {
    Box((box.x - left) / x, (box.y - low) / y, box.width / x, box.height / y)
  }
}
