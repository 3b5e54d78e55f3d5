/// A small shape that distinguishes fates without colour.
enum Marker: Hashable {
  case none, diamond, hollowDiamond, triangle, hollowTriangle, circle, hollowCircle, cross, plus
  case square

  /// The style class for a filled or a hollow shape.
  var styleClass: String {
    switch self {
    case .none, .diamond, .triangle, .circle, .square: "mark solid"
    case .hollowDiamond, .hollowTriangle, .hollowCircle, .cross, .plus: "mark open"
    }
  }

  /// Adds the shape around a centre.
  func draw(at x: Double, _ y: Double, in path: inout PathData) {
    let r = 3.6
    switch self {
    case .none: break
    case .diamond, .hollowDiamond:
      polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], in: &path)
    case .triangle, .hollowTriangle:
      polygon([(x - r, y - r + 0.8), (x + r, y - r + 0.8), (x, y + r)], in: &path)
    case .square:
      polygon([(x - 3, y - 3), (x + 3, y - 3), (x + 3, y + 3), (x - 3, y + 3)], in: &path)
    case .circle, .hollowCircle:
      let a = r * 0.71
      let around: [(x: Double, y: Double)] = [
        (x, y - r), (x + a, y - a), (x + r, y), (x + a, y + a), (x, y + r), (x - a, y + a),
        (x - r, y), (x - a, y - a),
      ]
      polygon(around, in: &path)
    case .cross:
      path.move(x - 3, y - 3)
      path.line(x + 3, y + 3)
      path.move(x - 3, y + 3)
      path.line(x + 3, y - 3)
    case .plus:
      path.move(x - r, y)
      path.line(x + r, y)
      path.move(x, y - r)
      path.line(x, y + r)
    }
  }

  private func polygon(_ points: [(x: Double, y: Double)], in path: inout PathData) {
    path.move(points[0].x, points[0].y)
    for point in points.dropFirst() { path.line(point.x, point.y) }
    path.close()
  }
}
