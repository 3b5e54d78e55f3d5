extension String {
  /// Writes a number of at least 0 with leading zeros, so that it has at least `digits` digits.
  package init(
    _ number: some BinaryInteger, radix: Int = 10, digits: Int, uppercase: Bool = false
  ) {
    let text = String(number, radix: radix, uppercase: uppercase)
    self.init(repeating: "0", count: Swift.max(0, digits - text.utf8.count))
    self += text
  }
}

extension Sequence<UInt8> {
  /// The FNV-1a hash of the bytes, 64 bits.
  package var fingerprint: UInt64 {
    reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
