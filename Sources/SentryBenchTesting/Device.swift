import Devices
import Sessions
import Turret

/// The device that replaces the turret's board.
public struct Device: Sendable {
  private enum Kind {
    case model
    case chip(path: String, pins: [String])
  }

  private let kind: Kind

  /// A model of the sketch. This is the default.
  public static let model = Device(kind: .model)

  /// An emulated ATmega328P that runs your own build of a sketch.
  ///
  /// - Parameters:
  ///   - path: the path of an .elf or .hex file, for example `build/turret.elf`.
  ///   - pins: the pins whose levels the session records from its start on, such as `D7`. Those
  /// that
  ///     the profile names are recorded in any case, and others from the first rule about them on.
  public static func chip(_ path: String, pins: [String] = []) -> Device {
    Device(kind: .chip(path: path, pins: pins))
  }

  /// Throws `TurretError` if the file cannot be read as a program, or if there is no such pin.
  func source() throws(TurretError) -> any DeviceSource {
    guard case .chip(let path, let names) = kind else { return ModelSource() }
    let pins = names.compactMap { BoardPin(name: $0) }.filter { $0.arduino != nil }
    guard pins.count == names.count else {
      throw TurretError("expected pins such as D7 or A0, found \(names.joined(separator: ", "))")
    }
    do throws(Failure) {
      return try ChipPrograms(path).read(watching: Set(pins))
    } catch {
      throw TurretError(error.message)
    }
  }
}
