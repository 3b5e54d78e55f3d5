import TestSupport

/// Bytes as a broken or hostile client would send them, with many commands among them.
enum RandomTelnet {
  static func bytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: bytes += [255]
      case 1: bytes += [255, .random(in: 236...255, using: &random)]
      case 2:
        bytes += [255, .random(in: 251...254, using: &random), option(&random)]
      case 3, 4:
        let length = Int.random(in: 0...6, using: &random)
        bytes += [255, 250, option(&random), .random(in: 0...13, using: &random)]
        bytes += (0..<length).map { _ in .random(in: 0...255, using: &random) }
        if Bool.random(using: &random) { bytes += [255, 240] }
      case 5: bytes += [[13], [13, 0], [13, 10], [0]].randomElement(using: &random) ?? []
      default: bytes.append(.random(in: 0...255, using: &random))
      }
    }
    return bytes
  }

  static func pieces(of bytes: [UInt8], using random: inout SeededGenerator) -> [[UInt8]] {
    var rest = bytes[...]
    var pieces: [[UInt8]] = []
    while !rest.isEmpty {
      let piece = rest.prefix(.random(in: 1...7, using: &random))
      pieces.append(Array(piece))
      rest.removeFirst(piece.count)
    }
    return pieces
  }

  private static func option(_ random: inout SeededGenerator) -> UInt8 {
    Bool.random(using: &random) ? 44 : .random(in: 0...255, using: &random)
  }
}
