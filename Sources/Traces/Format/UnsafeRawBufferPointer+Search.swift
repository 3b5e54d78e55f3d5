extension UnsafeRawBufferPointer {
  /// Whether the bytes contain the text. The search is for its second character, which should be
  /// rare.
  func contains(_ text: StaticString) -> Bool {
    let text = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    var start = 1
    while let second = offset(of: text[1], from: start) {
      if self[(second - 1)...].starts(with: text) { return true }
      start = second + 1
    }
    return false
  }

  /// Whether the bytes are the text.
  @inlinable
  @inline(__always)
  package func isEqual(to text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && starts(with: text)
  }

  /// Whether the bytes begin with the text.
  @inlinable
  @inline(__always)
  package func starts(with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard count >= length else { return false }
    let start = text.utf8Start
    var index = 0
    while index < length {
      guard self[index] == start[index] else { return false }
      index &+= 1
    }
    return true
  }

  /// Returns the offset of the first `byte` at or after an offset; nil if there is none.
  ///
  /// Compares eight bytes at a time. An exclusive or with the byte makes each match zero. When one
  /// is then subtracted from every byte, the first zero is the first byte that borrows.
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
