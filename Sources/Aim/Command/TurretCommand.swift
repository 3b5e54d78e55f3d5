/// What goes down the cable: aim at an angle, or the target is lost.
public struct TurretCommand: Hashable, Sendable, CustomStringConvertible {
  /// 0...180; nil if the target is lost.
  public let degrees: Int?

  /// No other angle than 0...180 can be made: what is beyond gets the nearer end.
  public static func aim(_ degrees: Int) -> TurretCommand {
    TurretCommand(degrees: min(max(degrees, 0), 180))
  }

  public static let lost = TurretCommand(degrees: nil)

  /// The firmware's words: `X90.`, the end included, or `L`.
  public var text: String { degrees.map { "X\($0)." } ?? "L" }

  public var description: String { text }
}
