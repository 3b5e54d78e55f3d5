/// The beginning of a program: its reset vector, and interrupt vectors that all jump to the same
/// place.
enum Vectors {
  /// Vectors of two words.
  static func jumps(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for vector in 0..<count { bytes += [0x0C, 0x94, vector == 0 ? 0x80 : 0x90, 0x01] }
    return bytes + [0x11, 0x24]
  }

  /// The same, relaxed by the linker: an RJMP and a NOP each, and a JMP where that is too far.
  static func relaxedJumps(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for vector in 0..<count {
      let target = vector == 0 ? 0x180 : 0x190
      let offset = target - (2 * vector + 1)
      bytes +=
        vector == 1
        ? [0x0C, 0x94, UInt8(target & 0xFF), UInt8(target >> 8)]
        : [UInt8(offset & 0xFF), 0xC0 | UInt8(offset >> 8), 0, 0]
    }
    return bytes + [0x11, 0x24]
  }

  /// Vectors of one word.
  static func relativeJumps(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for vector in 0..<count {
      let offset = (vector == 0 ? 0x80 : 0x88) - vector
      bytes += [UInt8(offset), 0xC0]
    }
    return bytes + [0x11, 0x24]
  }
}
