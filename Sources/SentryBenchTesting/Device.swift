import AVR
import ChipDevice
import Devices
import Files
import Traces
import Turret

/// What stands in for the turret's board.
public struct Device: Sendable {
  private enum Kind {
    case model
    case chip(path: String)
  }

  private let kind: Kind

  /// A model of the sketch. It is the usual one.
  public static let model = Device(kind: .model)

  /// An emulated ATmega328P that runs your own build of a sketch.
  ///
  /// - Parameter path: the path of an .elf or .hex file, for example `build/turret.elf`.
  public static func chip(_ path: String) -> Device { Device(kind: .chip(path: path)) }

  /// Throws `TurretError` if there is no such file.
  func source() throws(TurretError) -> any DeviceSource {
    guard case .chip(let path) = kind else { return ModelSource() }
    do {
      let contents = try InputFile.contents(of: path, wanting: "an .elf or .hex file")
      let image = try ProgramImage(contents: contents, name: path)
      return AVRSource(AVRProgram(image, name: path))
    } catch {
      throw TurretError("\(error)")
    }
  }
}
