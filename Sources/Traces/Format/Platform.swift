#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// Whether the text, which starts with a quote, stands somewhere in the bytes.
  func contains(_ text: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var start = 0
    while let quote = offset(of: UInt8(ascii: "\""), from: start) {
      if self[quote...].starts(with: text) { return true }
      start = quote + 1
    }
    return false
  }

  /// The offset of a byte from an offset on; nil where there is none.
  @inline(__always)
  func offset(of byte: UInt8, from start: Int) -> Int? {
    guard start < count, let baseAddress,
      let found = memchr(baseAddress + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }
}
