import AVR
import Devices
import Foundation
import States
import Turret

/// The prebuilt sketches.
enum Sketches {
  /// Returns boards with the prebuilt sketch of that name. There is no `buzzer`.
  static func source(_ firmware: Firmware) throws -> AVRSource {
    let name = firmware.rawValue
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../firmware/\(name)/\(name).hex").standardized
    return AVRSource(try program([UInt8](Data(contentsOf: url)), name: "\(name).hex"))
  }

  private static func program(_ contents: [UInt8], name: String) throws -> AVRProgram {
    AVRProgram(
      try ProgramImage(contents: contents, name: name), name: name, bootloader: nil, pin: 9)
  }
}
