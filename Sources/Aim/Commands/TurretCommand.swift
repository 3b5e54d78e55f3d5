import Sketches

/// A command for the turret: aim at angles, the target is lost, or fire.
public struct TurretCommand: Hashable, Sendable, CustomStringConvertible {
  /// The pan angle, 0...180; nil if the target is lost, and for a shot.
  public let degrees: Int?
  /// The tilt angle, 0...180; nil if the sketch does not tilt, too.
  public let tilt: Int?
  /// What is sent. Empty if the sketch has no command for a lost target: then nothing is sent.
  public let bytes: [UInt8]
  /// Whether it fires. Such a command is useless later.
  public let isShot: Bool

  /// The command of the bench's sketches for an angle, clamped to 0...180.
  public static func aim(_ degrees: Int) -> TurretCommand {
    aim(Angles(x: degrees, y: 90), by: .bench)
  }

  /// A sketch's own command for angles, each the nearest that it can state.
  public static func aim(_ angles: Angles, by template: CommandTemplate) -> TurretCommand {
    let sent = template.nearest(angles)
    return TurretCommand(
      degrees: sent.x, tilt: template.tilts ? sent.y : nil,
      bytes: template.bytes(angles), isShot: false)
  }

  /// The command of the bench's sketches for a lost target: `L`.
  public static let lost = lost(Array("L".utf8))

  /// A sketch's own command for a lost target.
  public static func lost(_ bytes: [UInt8]) -> TurretCommand {
    TurretCommand(degrees: nil, tilt: nil, bytes: bytes, isShot: false)
  }

  /// A sketch's own command to fire.
  public static func shot(_ bytes: [UInt8]) -> TurretCommand {
    TurretCommand(degrees: nil, tilt: nil, bytes: bytes, isShot: true)
  }

  /// The command as the firmware expects it: `X90.`, including the full stop, or `L`. For bytes
  /// that are not text, see `bytes`.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The command with escapes for the bytes that cannot be shown: `P90,45\n`.
  public var description: String { CommandForm(bytes.map { .byte($0) }).description }
}
