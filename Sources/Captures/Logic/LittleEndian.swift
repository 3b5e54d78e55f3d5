/// Bytes that contain little-endian numbers. A number beyond the end reads as 0.
struct LittleEndian {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var count: Int { bytes.count }

  func u16(_ offset: Int) -> UInt16 { UInt16(truncatingIfNeeded: number(offset, 2)) }
  func u32(_ offset: Int) -> UInt32 { UInt32(truncatingIfNeeded: number(offset, 4)) }
  func u64(_ offset: Int) -> UInt64 { number(offset, 8) }
  func double(_ offset: Int) -> Double { Double(bitPattern: number(offset, 8)) }

  private func number(_ offset: Int, _ length: Int) -> UInt64 {
    guard offset >= 0, offset <= bytes.count - length else { return 0 }
    var value: UInt64 = 0
    for index in (offset..<offset + length).reversed() { value = value << 8 | UInt64(bytes[index]) }
    return value
  }
}
