import Captures
import Platform
import Testing

/// Inflating with the system's zlib.
@Suite("zlib") struct ZlibTests {
  private static let text = Array(String(repeating: "X45.X90.L", count: 400).utf8)
  /// The text's CRC-32, as Python's zlib calculates it.
  private static let sum: UInt32 = 3_443_704_573
  /// The text as Python's zlib deflates it, without a header.
  private static let deflated: [UInt8] = [
    237, 198, 49, 17, 0, 48, 8, 4, 48, 71, 28, 67, 59, 212, 67, 5, 188, 127, 37, 8, 33, 153, 146,
    115, 43, 175, 235, 71, 68, 68, 68, 68, 68, 68, 54, 101, 0,
  ]

  /// Inflates bytes that are read `chunk` at a time.
  private func inflate(_ bytes: [UInt8], chunk: Int = .max) throws(CaptureError) -> [UInt8] {
    var rest = bytes[...]
    var inflated: [UInt8] = []
    try Zlib.inflate(
      { (buffer) throws(CaptureError) in
        let part = rest.prefix(min(chunk, buffer.count))
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
      },
      { (bytes) throws(CaptureError) in inflated += bytes })
    return inflated
  }

  @Test(arguments: [1, 2, 7, .max])
  func `Deflated data is inflated, however it is read`(chunk: Int) throws {
    #expect(try inflate(Self.deflated, chunk: chunk) == Self.text)
  }

  @Test func `What follows the compressed data is not read as part of it`() throws {
    #expect(try inflate(Self.deflated + [1, 2, 3]) == Self.text)
  }

  @Test func `Data that was cut is an error that says so`() throws {
    for length in Self.deflated.indices {
      let error = #expect(throws: CaptureError.self) {
        try inflate(Array(Self.deflated[..<length]))
      }
      #expect(error?.code == .malformed)
      #expect(error?.message == "expected more compressed data, found its end")
    }
  }

  @Test func `A wrong bit gives an error, or bytes that the sum tells from the right ones`() {
    var errors: Set<String> = []
    var changed = 0
    for bit in 0..<Self.deflated.count * 8 {
      var bytes = Self.deflated
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      do throws(CaptureError) {
        let inflated = try inflate(bytes)
        let sum = inflated.withUnsafeBytes { Zlib.checksum(of: $0) }
        #expect((sum == Self.sum) == (inflated == Self.text), "bit \(bit)")
        if inflated != Self.text { changed += 1 }
      } catch {
        #expect(error.code == .malformed, "bit \(bit)")
        errors.insert(String(error.message.prefix { $0 != "," }))
      }
    }
    #expect(errors == ["expected deflated data", "expected more compressed data"])
    #expect(changed > 0)
  }

  @Test func `The sum is a zip's, also of data in parts`() {
    Self.text.withUnsafeBytes { bytes in
      #expect(Zlib.checksum(of: bytes) == Self.sum)
      let first = Zlib.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[..<100]))
      let rest = UnsafeRawBufferPointer(rebasing: bytes[100...])
      #expect(Zlib.checksum(of: rest, after: first) == Self.sum)
    }
  }
}
