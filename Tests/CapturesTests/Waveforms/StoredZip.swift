import Captures
import Testing

/// A zip without compression, read by its directory.
struct StoredZip {
  private(set) var members: [String: [UInt8]] = [:]
  private(set) var names: [String] = []

  /// Stores a member, with a checksum that depends on its bytes.
  static func store(_ bytes: UnsafeRawBufferPointer) -> Deflated {
    Deflated(bytes: nil, crc32: bytes.reduce(UInt32(bytes.count)) { $0 &* 31 &+ UInt32($1) })
  }

  init(_ sink: some WaveSink) throws {
    let file = sink.bytes
    func number(_ offset: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(file[offset + $1]) << (8 * $1) }
    }
    let end = file.count - 22
    try #require(number(end, 4) == 0x0605_4B50)
    var place = number(end + 16, 4)
    #expect(place + number(end + 12, 4) == end)
    for _ in 0..<number(end + 10, 2) {
      try #require(number(place, 4) == 0x0201_4B50)
      let length = number(place + 24, 4)
      let name = String(
        decoding: file[place + 46..<place + 46 + number(place + 28, 2)], as: UTF8.self)
      let local = number(place + 42, 4)
      try #require(number(local, 4) == 0x0403_4B50)
      // The local header agrees with the directory.
      #expect(file[local + 4..<local + 30] == file[place + 6..<place + 32])
      let start = local + 30 + name.utf8.count
      let bytes = Array(file[start..<start + length])
      #expect(number(place + 16, 4) == Int(bytes.withUnsafeBytes { Self.store($0).crc32 }))
      members[name] = bytes
      names.append(name)
      place += 46 + name.utf8.count
    }
    #expect(place == end)
  }
}
