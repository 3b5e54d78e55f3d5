/// A mapping between two coordinate systems with parallel axes, and its inverse. `undo` reverses
/// `apply` and vice versa, up to rounding (below 1e-9 for coordinates in and near the picture). A
/// box is mapped by its corner and its size, so that an identity mapping does not change a single
/// bit.
public protocol Transform: Hashable, Sendable {
  func apply(_ point: Point) -> Point
  func apply(_ box: Box) -> Box
  func undo(_ point: Point) -> Point
  func undo(_ box: Box) -> Box
}
