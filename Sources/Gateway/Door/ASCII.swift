/// Whether bytes can be sent as text. Only bytes below 128 always can, however they are divided.
enum ASCII {
  /// Checks eight bytes at a time, because megabytes a second pass through here.
  static func isAll(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var index = 0
      var seen: UInt64 = 0
      while index + 8 <= bytes.count {
        seen |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index += 8
      }
      while index < bytes.count {
        seen |= UInt64(bytes[index])
        index += 1
      }
      return seen & 0x8080_8080_8080_8080 == 0
    }
  }
}
