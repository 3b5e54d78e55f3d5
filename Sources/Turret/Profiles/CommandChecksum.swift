/// A byte of a command that is computed from the bytes before it.
///
///     {sum}               the sum of all bytes before it, modulo 256
///     {xor 2..}           the exclusive or, from the second byte on
///     {complement 3..3}   255 less the sum of the third byte
///     {negative}          256 less the sum, so that the sum of all bytes is 0
///     {xor hex 2..-2}     two hexadecimal digits, over the second to the last but one
package struct CommandChecksum: Hashable, Sendable {
  /// The raw value is the word in a profile.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case sum, xor, complement, negative
  }

  package var kind: Kind
  /// Whether it is sent as two hexadecimal digits rather than as one byte.
  package var isHexadecimal: Bool
  /// The first of the bytes that it covers, counted from 1.
  package var first: Int
  /// The last of them, counted from 1; if negative, from the checksum backwards.
  package var last: Int

  package init(_ kind: Kind, isHexadecimal: Bool = false, first: Int = 1, last: Int = -1) {
    self.kind = kind
    self.isHexadecimal = isHexadecimal
    self.first = first
    self.last = last
  }

  /// The number of its bytes.
  package var count: Int { isHexadecimal ? 2 : 1 }

  /// Returns the checksum of a command that has these bytes before it.
  package func value(after bytes: some RandomAccessCollection<UInt8>) -> UInt8 {
    let start = min(max(first - 1, 0), bytes.count)
    let end = min(max(last < 0 ? bytes.count + 1 + last : last, start), bytes.count)
    var sum: UInt8 = 0
    for byte in bytes.dropFirst(start).prefix(end - start) {
      if kind == .xor { sum ^= byte } else { sum &+= byte }
    }
    switch kind {
    case .sum, .xor: return sum
    case .complement: return ~sum
    case .negative: return 0 &- sum
    }
  }

  /// Returns the bytes of the checksum of a command that has these bytes before it.
  package func bytes(after bytes: some RandomAccessCollection<UInt8>) -> [UInt8] {
    let value = value(after: bytes)
    guard isHexadecimal else { return [value] }
    let digits = Array("0123456789ABCDEF".utf8)
    return [digits[Int(value >> 4)], digits[Int(value & 0xF)]]
  }
}

extension CommandChecksum: CustomStringConvertible {
  /// The checksum as a profile states it, without braces.
  package var description: String {
    let range = (first, last) == (1, -1) ? "" : last == -1 ? " \(first).." : " \(first)..\(last)"
    return kind.rawValue + (isHexadecimal ? " hex" : "") + range
  }
}
