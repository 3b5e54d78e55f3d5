import Platform
import Testing

/// Bytes kept in memory or in a temporary file.
@Suite("Spools") struct SpoolTests {
  private func read(_ spool: Spool, at offset: Int64, count: Int) throws -> [UInt8] {
    try Array(unsafeUninitializedCapacity: count) { (buffer, filled) in
      filled = try spool.read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  @Test(arguments: [0, 10, 300, 1 << 20])
  func `Bytes are read back at any place, wherever they are kept`(memoryMax: Int) throws {
    let spool = Spool(memoryMax: memoryMax)
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for start in stride(from: 0, to: bytes.count, by: 100) {
      try bytes[start..<start + 100].withUnsafeBytes { try spool.append($0) }
    }
    #expect(spool.length == 1_000)
    #expect(try read(spool, at: 0, count: 1_000) == bytes)
    #expect(try read(spool, at: 290, count: 20) == Array(bytes[290..<310]))
    #expect(try read(spool, at: 990, count: 20) == Array(bytes[990...]))
    #expect(try read(spool, at: 1_000, count: 20).isEmpty)
    #expect(try read(spool, at: -1, count: 20).isEmpty)
  }
}
