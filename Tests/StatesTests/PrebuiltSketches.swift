import AVR
import ChipDevice
import Devices
import Foundation
import Sketches
import States

/// The prebuilt sketches.
enum PrebuiltSketches {
  /// Returns boards with the prebuilt sketch of that name. There is no `buzzer`.
  static func source(_ firmware: Firmware, wiring: ChipWiring = ChipWiring()) throws -> AVRSource {
    let name = firmware.rawValue
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../firmware/\(name)/\(name).hex").standardized
    let image = try ProgramImage(
      contents: [UInt8](Data(contentsOf: url)), name: "\(name).hex")
    return AVRSource(AVRProgram(image, name: "\(name).hex", wiring: wiring))
  }
}
