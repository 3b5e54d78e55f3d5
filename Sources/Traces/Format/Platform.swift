#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension UnsafeRawBufferPointer {
  /// Whether the text stands somewhere in the bytes. It is looked for by its second character, which
  /// should be a rare one.
  func contains(_ text: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var start = 1
    while let second = offset(of: text[1], from: start) {
      if self[(second - 1)...].starts(with: text) { return true }
      start = second + 1
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
