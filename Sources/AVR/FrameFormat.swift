/// How USART0 frames a byte: a start bit, the data bits, least significant first, a parity bit if
/// there is one, and one or two stop bits.
package struct FrameFormat: Hashable, Sendable {
  package enum Parity: Hashable, Sendable {
    case even, odd
  }

  package static let standard = FrameFormat(dataBits: 8, parity: nil, hasTwoStopBits: false)

  /// 5 to 9.
  package var dataBits: UInt8
  package var parity: Parity?
  package var hasTwoStopBits: Bool

  /// The bits of UDR0 that belong to a byte.
  var mask: UInt8 { dataBits < 8 ? 0xFF >> (8 - dataBits) : 0xFF }
}

/// A frame that USART0 sends.
package struct SentFrame: Hashable, Sendable, Codable {
  /// The levels of the bits, the start bit lowest.
  package let levels: UInt16
  /// The number of bits: the start bit, the data and parity bits, and all stop bits.
  package let bitCount: UInt8

  init(_ byte: UInt8, ninth: Bool, in format: FrameFormat) {
    var data = UInt16(byte & format.mask)
    if ninth, format.dataBits == 9 { data |= 0x100 }
    var levels = data << 1
    var count = 1 + format.dataBits
    if let parity = format.parity {
      let isOdd = data.nonzeroBitCount & 1 == 1
      if isOdd == (parity == .even) { levels |= 1 << UInt16(count) }
      count += 1
    }
    let stops: UInt16 = format.hasTwoStopBits ? 0b11 : 0b1
    self.levels = levels | stops << UInt16(count)
    bitCount = count + (format.hasTwoStopBits ? 2 : 1)
  }
}

/// A frame as it is on RXD, sampled with USART0's own speed and format.
package struct ReceivedFrame: Hashable, Sendable {
  package var data: UInt8
  package var hasFramingError: Bool
  package var hasParityError: Bool
  package var ninthBit: Bool

  package init(
    _ data: UInt8, hasFramingError: Bool = false, hasParityError: Bool = false,
    ninthBit: Bool = false
  ) {
    self.data = data
    self.hasFramingError = hasFramingError
    self.hasParityError = hasParityError
    self.ninthBit = ninthBit
  }
}
