/// A memory of the chip while a file fills it, byte by byte.
struct ImageMemory {
  private var bytes: [UInt8]
  /// Which part of the file filled each byte; 0: none yet.
  private var parts: [UInt32]

  /// - Parameter size: in bytes, at most 64 KB.
  init(size: Int) {
    bytes = [UInt8](repeating: 0xFF, count: size)
    parts = [UInt32](repeating: 0, count: size)
  }

  var size: Int { bytes.count }

  /// The part of the file that has filled this address already; nil where none has.
  func part(at address: Int) -> UInt32? { parts[address] == 0 ? nil : parts[address] }

  /// - Parameter part: from 1.
  mutating func put(_ byte: UInt8, at address: Int, from part: UInt32) {
    bytes[address] = byte
    parts[address] = part
  }

  /// What was filled, in order; neighbours are one segment, whatever parts they came in.
  var segments: [ProgramImage.Segment] {
    var segments: [ProgramImage.Segment] = []
    var address = 0
    while address < size {
      let start = address
      while address < size, parts[address] != 0 { address += 1 }
      if address > start {
        segments.append(
          ProgramImage.Segment(address: UInt16(start), bytes: Array(bytes[start..<address])))
      }
      address += 1
    }
    return segments
  }

  /// From address 0 to the last byte that was filled; nil where none was.
  var prefix: [UInt8]? {
    parts.lastIndex { $0 != 0 }.map { Array(bytes[...$0]) }
  }
}
