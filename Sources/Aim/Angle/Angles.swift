/// Where to aim, whole degrees: `x` goes to the turret, `y` is only shown.
public struct Angles: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}
