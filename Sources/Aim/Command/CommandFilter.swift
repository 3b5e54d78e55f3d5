/// Passes a command only if it differs from the last one passed, so `L` is sent once. The first
/// command always passes, even if it is `L`, as in the face-tracking app: the turret's state is not
/// known.
public struct CommandFilter: Hashable, Sendable {
  /// The last command passed.
  public private(set) var last: TurretCommand?

  public init() {}

  public mutating func callAsFunction(_ command: TurretCommand) -> TurretCommand? {
    guard command != last else { return nil }
    last = command
    return command
  }

  /// Called after a new connection, whose other end has no state: the next command passes.
  public mutating func forget() { last = nil }
}
