public import Aim

/// A command on its way to the turret.
public struct LinkCommand: Hashable, Sendable {
  /// What a command determines. A newer one replaces one of its kind that still waits.
  package enum Kind: Hashable, Sendable {
    case aim, lost
    /// Its effect is temporary, so it is useless later.
    case passing
  }

  /// The command as the firmware expects it.
  public let bytes: [UInt8]
  package let kind: Kind

  package init(_ bytes: [UInt8], _ kind: Kind) {
    self.bytes = bytes
    self.kind = kind
  }

  public init(_ command: TurretCommand) {
    let kind: Kind = command.isShot ? .passing : command.degrees == nil ? .lost : .aim
    self.init(command.bytes, kind)
  }

  /// Aims at an angle, clamped to 0...180.
  public static func aim(_ degrees: Int) -> LinkCommand { LinkCommand(.aim(degrees)) }

  public static var lost: LinkCommand { LinkCommand(.lost) }

  /// The bytes as text.
  public var text: String { String(decoding: bytes, as: UTF8.self) }
}
