import Foundation
import TestSupport

/// Programs for the emulated chip.
enum ChipProgram {
  /// Returns the path of a prebuilt sketch.
  static func sketch(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../firmware/\(name)/\(name).hex").standardized.path
  }

  private static func bytes(_ words: [UInt16]) -> [UInt8] {
    words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
  }

  /// Returns a program with these words from address 0 on.
  static func hex(_ words: [UInt16]) -> String { HexBuilder.file([(0, bytes(words))]) }

  /// Returns the same as the function `loop`, so that places have a name.
  static func elf(_ words: [UInt16]) -> [UInt8] {
    let bytes = bytes(words)
    let size = UInt32(bytes.count)
    return ELFBuilder(
      segments: [.init(address: 0, bytes: bytes)],
      symbols: [.init(name: "_Z4loopv", value: 0, size: size, type: 2)], codeSize: size
    ).bytes
  }
}
