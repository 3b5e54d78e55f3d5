/// Swaps left and right in a picture if `isOn`; its own inverse. Coordinates are normalized.
public struct Mirroring: Transform {
  public var isOn: Bool

  public init(_ isOn: Bool = true) { self.isOn = isOn }

  public func apply(_ point: Point) -> Point {
    isOn ? Point(1 - point.x, point.y) : point
  }

  public func apply(_ box: Box) -> Box {
    isOn ? Box(1 - box.maxX, box.y, box.width, box.height) : box
  }

  public func undo(_ point: Point) -> Point { apply(point) }
  public func undo(_ box: Box) -> Box { apply(box) }
}
