/// Bytes of a packet, and the byte order of their numbers. A byte beyond the end reads as 0.
struct PacketBytes {
  let bytes: UnsafeRawBufferPointer
  var isBigEndian = false

  var count: Int { bytes.count }

  subscript(_ offset: Int) -> UInt8 {
    offset >= 0 && offset < bytes.count ? bytes[offset] : 0
  }

  func u16(_ offset: Int) -> UInt16 { bytes.u16(offset, isBigEndian: isBigEndian) }
  func u32(_ offset: Int) -> UInt32 { bytes.u32(offset, isBigEndian: isBigEndian) }
}
