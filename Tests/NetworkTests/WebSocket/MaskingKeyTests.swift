import Testing

@testable import Network

struct MaskingKeyTests {
  @Test func `Each byte is masked with its byte of the key wherever a piece begins`() {
    let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    for count in 0...21 {
      for offset in 0...7 {
        let plain = (0..<count).map { UInt8($0) }
        var bytes = plain
        bytes.withUnsafeMutableBytes {
          MaskingKey(key[0], key[1], key[2], key[3]).apply(to: $0, at: offset)
        }
        #expect(bytes == plain.enumerated().map { $1 ^ key[($0 + offset) & 3] })
      }
    }
  }
}
