import Devices
import Sessions

/// The device that replaces the turret's board.
public struct Device: Sendable {
  private enum Kind {
    case model
    case chip(path: String)
  }

  private let kind: Kind

  /// A model of the sketch. This is the default.
  public static let model = Device(kind: .model)

  /// An emulated ATmega328P that runs your own build of a sketch.
  ///
  /// - Parameter path: the path of an .elf or .hex file, for example `build/turret.elf`.
  public static func chip(_ path: String) -> Device { Device(kind: .chip(path: path)) }

  /// Throws `TurretError` if the file cannot be read as a program.
  func source() throws(TurretError) -> any DeviceSource {
    guard case .chip(let path) = kind else { return ModelSource() }
    do throws(Failure) {
      return try ChipPrograms(path).read()
    } catch {
      throw TurretError(error.message)
    }
  }
}
