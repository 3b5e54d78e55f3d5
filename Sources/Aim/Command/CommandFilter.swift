/// Lets a command pass only if it differs from the last that passed: so `L` goes once. The first
/// one passes, also if it is `L`, as in the face-tracking app: a turret of unknown state is told.
public struct CommandFilter: Hashable, Sendable {
  /// What passed last.
  public private(set) var last: TurretCommand?

  public init() {}

  public mutating func callAsFunction(_ command: TurretCommand) -> TurretCommand? {
    guard command != last else { return nil }
    last = command
    return command
  }

  /// After a new connection, whose other end knows nothing: the next command passes.
  public mutating func forget() { last = nil }
}
