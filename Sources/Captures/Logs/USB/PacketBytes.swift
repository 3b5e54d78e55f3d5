/// Bytes that contain numbers in one of the two byte orders. A number beyond the end reads as 0.
struct PacketBytes {
  let bytes: UnsafeRawBufferPointer
  var isBigEndian = false

  var count: Int { bytes.count }

  subscript(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < bytes.count ? bytes[offset] : 0
  }

  func u16(_ offset: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(offset, 2)) }
  func u32(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, 4)) }

  private func number(_ offset: Int, _ length: Int) -> UInt64 {
    guard offset >= 0, offset <= bytes.count - length else { return 0 }
    var value: UInt64 = 0
    for index in 0..<length {
      value = value << 8 | UInt64(bytes[offset + (isBigEndian ? index : length - 1 - index)])
    }
    return value
  }
}
