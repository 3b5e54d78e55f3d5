/// The turn that makes a camera's buffer upright: `right` is a quarter turn clockwise, `left` one
/// counterclockwise. `apply` maps normalized coordinates from the buffer to the upright picture
/// (origin at the lower left in both).
public enum Turning: String, Transform, CaseIterable {
  case up, right, down, left

  /// The turn that reverses this one.
  public var inverse: Turning {
    switch self {
    case .up, .down: self
    case .right: .left
    case .left: .right
    }
  }

  public func apply(_ point: Point) -> Point {
    switch self {
    case .up: point
    case .right: Point(point.y, 1 - point.x)
    case .down: Point(1 - point.x, 1 - point.y)
    case .left: Point(1 - point.y, point.x)
    }
  }

  public func apply(_ box: Box) -> Box {
    switch self {
    case .up: box
    case .right: Box(box.y, 1 - box.maxX, box.height, box.width)
    case .down: Box(1 - box.maxX, 1 - box.maxY, box.width, box.height)
    case .left: Box(1 - box.maxY, box.x, box.height, box.width)
    }
  }

  /// A quarter turn swaps width and height.
  public func apply(_ size: Size) -> Size {
    switch self {
    case .up, .down: size
    case .right, .left: Size(size.height, size.width)
    }
  }

  public func undo(_ point: Point) -> Point { inverse.apply(point) }
  public func undo(_ box: Box) -> Box { inverse.apply(box) }
  public func undo(_ size: Size) -> Size { inverse.apply(size) }
}
