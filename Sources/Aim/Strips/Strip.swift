/// A reflective strip: a rectangle, and the centre line between its long edges. Coordinates are
/// normalized, y up.
public struct Strip: Hashable, Sendable {
  public let rectangle: Observation
  public let box: Box
  /// The ends of the centre line: the middles of the short edges.
  public let bottom: Point
  public let top: Point

  /// Fails without a box; the corners default to those of the box. `picture` is the size in pixels
  /// of the picture to which the coordinates are normalized; the long edges are determined in
  /// pixels.
  public init?(_ rectangle: Observation, picture: Size) {
    guard let box = rectangle.box, rectangle.corners.isEmpty || rectangle.corners.count == 4
    else { return nil }
    self.rectangle = rectangle
    self.box = box
    let corners =
      rectangle.corners.isEmpty
      ? [
        Point(box.x, box.maxY), Point(box.maxX, box.maxY), Point(box.maxX, box.y),
        Point(box.x, box.y),
      ] : rectangle.corners
    func squaredLength(_ one: Int, _ other: Int) -> Double {
      let x = (corners[one].x - corners[other].x) * picture.width
      let y = (corners[one].y - corners[other].y) * picture.height
      return x * x + y * y
    }
    func middle(_ one: Int, _ other: Int) -> Point {
      Point((corners[one].x + corners[other].x) / 2, (corners[one].y + corners[other].y) / 2)
    }
    let sides = squaredLength(0, 3) + squaredLength(1, 2)
    let isUpright = sides >= squaredLength(0, 1) + squaredLength(3, 2)
    let ends =
      isUpright ? (middle(3, 2), middle(0, 1)) : (middle(0, 3), middle(1, 2))
    (bottom, top) = ends.0.y <= ends.1.y ? ends : (ends.1, ends.0)
  }

  /// The point above both strips at which their extended centre lines meet; nil if they are
  /// parallel or meet elsewhere. Whether they lean towards each other does not depend on the scale
  /// of the axes.
  public func meeting(_ other: Strip) -> Point? {
    let (x, y) = (top.x - bottom.x, top.y - bottom.y)
    let (otherX, otherY) = (other.top.x - other.bottom.x, other.top.y - other.bottom.y)
    let cross = x * otherY - y * otherX
    // Below this sine of the angle between them, they are parallel except for rounding.
    let lengths = (x * x + y * y) * (otherX * otherX + otherY * otherY)
    guard cross * cross > 1e-18 * lengths else { return nil }
    let along =
      ((other.bottom.x - bottom.x) * otherY - (other.bottom.y - bottom.y) * otherX) / cross
    let point = Point(bottom.x + along * x, bottom.y + along * y)
    guard point.isFinite, point.y > max(top.y, other.top.y) else { return nil }
    return point
  }
}
