/// A command for the turret: aim at an angle, or the target is lost.
public struct TurretCommand: Hashable, Sendable, CustomStringConvertible {
  /// 0...180; nil if the target is lost.
  public let degrees: Int?

  /// Aims at an angle, clamped to 0...180.
  public static func aim(_ degrees: Int) -> TurretCommand {
    TurretCommand(degrees: min(max(degrees, 0), 180))
  }

  public static let lost = TurretCommand(degrees: nil)

  /// The command as the firmware expects it: `X90.`, including the full stop, or `L`.
  public var text: String { degrees.map { "X\($0)." } ?? "L" }

  public var description: String { text }
}
