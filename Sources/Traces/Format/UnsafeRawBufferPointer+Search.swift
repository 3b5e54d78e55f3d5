extension UnsafeRawBufferPointer {
  /// Whether the text stands somewhere in the bytes. It is looked for by its second character,
  /// which should be a rare one.
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
  ///
  /// Looks at eight bytes at a time. An exclusive or with the byte that is looked for makes it
  /// zero, and of all bytes up to the first zero only that one borrows when one is taken from each.
  @inline(__always)
  package func offset(of byte: UInt8, from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let pattern = ones &* UInt64(byte)
    var offset = start
    while offset &+ 8 <= count {
      let eight = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let rest = eight ^ pattern
      let zeros = (rest &- ones) & ~rest & (ones &<< 7)
      if zeros != 0 { return offset &+ zeros.trailingZeroBitCount &>> 3 }
      offset &+= 8
    }
    while offset < count {
      if self[offset] == byte { return offset }
      offset &+= 1
    }
    return nil
  }
}
