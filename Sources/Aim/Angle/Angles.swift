/// The angles to aim at, in whole degrees. `x` is sent to the turret; `y` is only displayed.
public struct Angles: Hashable, Sendable {
  public var x: Int
  public var y: Int

  public init(x: Int, y: Int) {
    self.x = x
    self.y = y
  }
}
