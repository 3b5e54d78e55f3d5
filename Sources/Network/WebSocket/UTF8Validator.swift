/// Checks UTF-8 as it arrives, in pieces of any size (Unicode 16, table 3-7).
///
/// A piece is refused at the first byte that no continuation could make valid: overlong forms,
/// surrogates and values above U+10FFFF at their second byte.
struct UTF8Validator: Hashable, Sendable {
  /// The number of continuation bytes that must follow.
  private var missing: UInt8 = 0
  /// The allowed range of the next continuation byte; for those after it, 80...BF.
  private var low: UInt8 = 0x80
  private var high: UInt8 = 0xBF

  /// Whether no character is incomplete.
  var isComplete: Bool { missing == 0 }

  /// Takes the next piece. Returns false if it is not UTF-8; the validator cannot be used after
  /// that.
  mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if missing == 0 {
        // Most text is ASCII.
        while index + 8 <= bytes.count,
          bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { index += 8 }
        guard index < bytes.count else { break }
        guard begins(bytes[index]) else { return false }
      } else {
        guard (low...high).contains(bytes[index]) else { return false }
        (low, high) = (0x80, 0xBF)
        missing -= 1
      }
      index += 1
    }
    return true
  }

  private mutating func begins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, low) = (2, 0xA0)
    case 0xED: (missing, high) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, low) = (3, 0x90)
    case 0xF4: (missing, high) = (3, 0x8F)
    case 0xF1...0xF3: missing = 3
    default: return false
    }
    return true
  }
}
