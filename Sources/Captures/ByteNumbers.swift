/// Numbers in bytes whose first index is 0, in one of the two byte orders. A number beyond the end
/// reads as 0.
extension RandomAccessCollection<UInt8> where Index == Int {
  func u16(_ offset: Int, isBigEndian: Bool = false) -> UInt16 {
    UInt16(truncatingIfNeeded: number(offset, 2, isBigEndian))
  }

  func u32(_ offset: Int, isBigEndian: Bool = false) -> UInt32 {
    UInt32(truncatingIfNeeded: number(offset, 4, isBigEndian))
  }

  func u64(_ offset: Int) -> UInt64 { number(offset, 8, false) }
  func double(_ offset: Int) -> Double { Double(bitPattern: u64(offset)) }

  private func number(_ offset: Int, _ length: Int, _ isBigEndian: Bool) -> UInt64 {
    guard offset >= 0, offset <= count - length else { return 0 }
    var value: UInt64 = 0
    for index in 0..<length {
      value = value << 8 | UInt64(self[offset + (isBigEndian ? index : length - 1 - index)])
    }
    return value
  }
}
