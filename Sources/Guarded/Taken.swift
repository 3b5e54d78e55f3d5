/// The result of taking one byte.
public struct Taken: Hashable, Sendable {
  public enum Fate: Hashable, Sendable {
    case letter, digit, terminator, junk, abandoned
  }

  public var fate: Fate
  /// Whether the digits of the last number had no effect.
  public var abandonsNumber: Bool
  public var action: Action

  public init(fate: Fate, abandonsNumber: Bool = false, action: Action = Action()) {
    self.fate = fate
    self.abandonsNumber = abandonsNumber
    self.action = action
  }
}
