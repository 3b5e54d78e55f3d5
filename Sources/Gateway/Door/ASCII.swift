/// Whether bytes may go as text: only those below 128 do in every case, however they are cut.
enum ASCII {
  /// Eight bytes at a time: megabytes a second come by here.
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
