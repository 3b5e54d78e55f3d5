/// Counts what looks like the turret's aiming commands in a stream of bytes: `X`, one to three
/// digits, and a full stop. This distinguishes a log's directions if the format does not.
struct CommandHint {
  private var digits = -1
  private(set) var count: Int64 = 0

  mutating func take(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == 0x58 || byte == 0x78 {
        digits = 0
      } else if digits >= 0, byte.decimalDigit != nil {
        digits = digits < 3 ? digits + 1 : -1
      } else {
        if digits > 0, byte == 0x2e { count += 1 }
        digits = -1
      }
    }
  }
}
