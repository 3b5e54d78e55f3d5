/// The result of the passage of time.
public struct Tick: Hashable, Sendable {
  /// Whether a number timed out, so that its digits had no effect.
  public var abandonsNumber: Bool
  public var action: Action

  public init(abandonsNumber: Bool = false, action: Action = Action()) {
    self.abandonsNumber = abandonsNumber
    self.action = action
  }
}
