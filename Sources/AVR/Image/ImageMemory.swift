/// A memory of the chip while it is being filled from a file.
struct ImageMemory {
  private var bytes: [UInt8]
  /// The number of the file's part that filled each byte; 0 if none has.
  private var parts: [UInt32]

  /// - Parameter size: in bytes, at most 64 KB.
  init(size: Int) {
    bytes = [UInt8](repeating: 0xFF, count: size)
    parts = [UInt32](repeating: 0, count: size)
  }

  var size: Int { bytes.count }

  /// The part of the file that has already filled this address, if any.
  func part(at address: Int) -> UInt32? { parts[address] == 0 ? nil : parts[address] }

  /// - Parameter part: the number of the file's part, from 1.
  mutating func put(_ byte: UInt8, at address: Int, from part: UInt32) {
    bytes[address] = byte
    parts[address] = part
  }

  /// The filled bytes in order. Adjacent bytes form one segment, even if they came in several
  /// parts.
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

  /// The bytes from address 0 to the last one filled; nil if none was.
  var prefix: [UInt8]? {
    parts.lastIndex { $0 != 0 }.map { Array(bytes[...$0]) }
  }
}
