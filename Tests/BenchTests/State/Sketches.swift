import AVR
import Bench
import Foundation
import Turret

/// The prebuilt sketches, and programs of a few words.
enum Sketches {
  /// Boards with the prebuilt sketch of that name; there is none of `buzzer`.
  static func source(_ firmware: Firmware) throws -> AVRSource {
    let name = firmware.rawValue
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../firmware/\(name)/\(name).hex").standardized
    return AVRSource(try program([UInt8](Data(contentsOf: url)), name: "\(name).hex"))
  }

  /// Boards with these words from address 0 on, in Intel HEX.
  static func source(words: [UInt16]) throws -> AVRSource {
    AVRSource(try program(hex(words), name: "words.hex"))
  }

  private static func program(_ contents: [UInt8], name: String) throws -> AVRProgram {
    AVRProgram(try ProgramImage(contents: contents, name: name), name: name, bootloader: nil, pin: 9)
  }

  private static func hex(_ words: [UInt16]) -> [UInt8] {
    var text = ""
    for (index, word) in words.enumerated() {
      let address = UInt16(index * 2)
      let bytes: [UInt8] = [
        2, UInt8(address >> 8), UInt8(truncatingIfNeeded: address), 0,
        UInt8(truncatingIfNeeded: word), UInt8(word >> 8),
      ]
      let sum = bytes.reduce(0, &+)
      text += ":" + (bytes + [0 &- sum]).map(digits).joined() + "\n"
    }
    return Array((text + ":00000001FF\n").utf8)
  }

  private static func digits(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
