/// A mapping between two coordinate systems with parallel axes, and back. `undo` after `apply`, and
/// `apply` after `undo`, return what went in, up to the rounding of the arithmetic (below 1e-9 for
/// coordinates in and near the picture). A box is mapped by its corner and its size, so that a
/// mapping that changes nothing changes no bit of it.
public protocol Transform: Hashable, Sendable {
  func apply(_ point: Point) -> Point
  func apply(_ box: Box) -> Box
  func undo(_ point: Point) -> Point
  func undo(_ box: Box) -> Box
}
