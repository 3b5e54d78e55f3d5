/// What came of the passing of time.
public struct Tick: Hashable, Sendable {
  /// Whether a number ran out of time: its digits came to nothing.
  public var abandonsNumber: Bool
  public var action: Action

  public init(abandonsNumber: Bool = false, action: Action = Action()) {
    self.abandonsNumber = abandonsNumber
    self.action = action
  }
}
