/// The addresses of names in a prebuilt sketch: a `.hex` file has none, and an `.elf` file requires
/// a compiler.
struct SymbolList: Sendable {
  struct Problem: Error, CustomStringConvertible {
    var description: String
  }

  /// Byte addresses, in the flash or in the data space.
  private let places: [String: Range<UInt16>]

  /// `text` is the output of `Symbols/update` for the file with these contents.
  init(_ text: String, of contents: [UInt8], path: String) throws(Problem) {
    var places: [String: Range<UInt16>] = [:]
    var isOfThisFile = false
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3 else { throw Problem(description: "\(path): no symbol: \(line)") }
      if words[0] == "cksum" {
        isOfThisFile =
          UInt32(words[1]) == Self.checksum(contents) && Int(words[2]) == contents.count
        continue
      }
      // The linker places the data space at 0x800000.
      guard let start = UInt32(words[0], radix: 16), let size = UInt16(words[1], radix: 16) else {
        throw Problem(description: "\(path): no symbol: \(line)")
      }
      let address = UInt16(truncatingIfNeeded: start)
      places[words[2]] = address..<address + size
    }
    guard isOfThisFile else {
      throw Problem(
        description: """
          \(path) is not the file that the list of its symbols is of: \
          run firmware/build and Tests/BinaryTests/Symbols/update
          """)
    }
    self.places = places
  }

  subscript(name: String) -> Range<UInt16> {
    get throws(Problem) {
      guard let place = places[name] else { throw Problem(description: "no symbol \(name)") }
      return place
    }
  }

  /// The output of `cksum` (POSIX).
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var checksum: UInt32 = 0
    func take(_ byte: UInt8) {
      checksum ^= UInt32(byte) << 24
      for _ in 0..<8 {
        checksum = checksum & 0x8000_0000 != 0 ? checksum << 1 ^ 0x04C1_1DB7 : checksum << 1
      }
    }
    bytes.forEach(take)
    var count = bytes.count
    while count > 0 {
      take(UInt8(truncatingIfNeeded: count))
      count >>= 8
    }
    return ~checksum
  }
}
