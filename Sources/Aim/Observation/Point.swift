/// A point in a picture (normalized to 0...1, origin at the lower left, y up) or in a view (points,
/// origin at the upper left, y down), depending on the context.
public struct Point: Hashable, Sendable {
  public var x: Double
  public var y: Double

  public init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  public var isFinite: Bool { x.isFinite && y.isFinite }
}
