/// How a UART frames each byte: a start bit, the data bits, least significant first, a parity bit
/// if there is one, and the stop bits.
package struct LineFormat: Hashable, Sendable {
  /// The parity bit. The numbers are those of RFC 2217.
  package enum Parity: UInt8, Hashable, Sendable, CaseIterable {
    case none = 1
    case odd, even, mark, space
  }

  /// The minimum time for which the line is high after a byte. The numbers are those of RFC 2217.
  package enum StopSize: UInt8, Hashable, Sendable, CaseIterable {
    case one = 1
    case two, oneAndAHalf
  }

  package static let dataSizes: ClosedRange<UInt8> = 5...9
  /// 8N1.
  package static let standard = LineFormat()

  /// The number of data bits: 5 to 9.
  package var dataSize: UInt8 = 8
  package var parity = Parity.none
  package var stopSize = StopSize.one

  package init() {}

  package init(dataSize: UInt8, parity: Parity, stopSize: StopSize = .one) {
    self.dataSize = dataSize
    self.parity = parity
    self.stopSize = stopSize
  }

  /// The format that a receiver expects of frames in this one: it ignores a second stop bit.
  package var received: LineFormat { LineFormat(dataSize: dataSize, parity: parity) }

  /// The number of bits up to the end of the first stop bit.
  package var bitCount: Int { 2 + Int(dataSize) + (parity == .none ? 0 : 1) }

  /// The length of a frame in half bits.
  package var halfBitCount: Int {
    let rest =
      switch stopSize {
      case .one: 0
      case .oneAndAHalf: 1
      case .two: 2
      }
    return 2 * bitCount + rest
  }

  /// The bits of a byte that fit into a frame.
  package var mask: UInt8 { dataSize < 8 ? 0xFF >> (8 - dataSize) : 0xFF }

  /// Returns the levels of a byte's bits, the start bit lowest. All bits after the last are high,
  /// as the stop bits are. `ninth` is the ninth data bit, if there is one.
  package func levels(of byte: UInt8, ninth: Bool = false) -> UInt16 {
    var data = UInt16(byte & mask)
    if dataSize == 9, ninth { data |= 0x100 }
    let bits = UInt16(dataSize)
    var levels = UInt16.max << (bits + 1) | data << 1
    if let isHigh = parityBit(of: data), !isHigh { levels &= ~(1 << (bits + 1)) }
    return levels
  }

  /// Returns the parity bit of these data bits; nil if there is none.
  package func parityBit(of data: UInt16) -> Bool? {
    let isOdd = data.nonzeroBitCount & 1 == 1
    return switch parity {
    case .none: nil
    case .odd: !isOdd
    case .even: isOdd
    case .mark: true
    case .space: false
    }
  }
}

extension LineFormat: CustomStringConvertible {
  /// The usual abbreviation, for example `7E1`.
  package var description: String {
    let parity =
      switch parity {
      case .none: "N"
      case .odd: "O"
      case .even: "E"
      case .mark: "M"
      case .space: "S"
      }
    let stop =
      switch stopSize {
      case .one: "1"
      case .two: "2"
      case .oneAndAHalf: "1.5"
      }
    return "\(dataSize)\(parity)\(stop)"
  }

  /// Parses an abbreviation as `description` writes it; nil for anything else.
  package init?(_ text: String) {
    let text = Array(text.utf8)
    guard text.count >= 3, case let size = text[0] &- UInt8(ascii: "0"),
      Self.dataSizes.contains(size)
    else { return nil }
    let parity: Parity
    switch text[1] {
    case UInt8(ascii: "N"): parity = .none
    case UInt8(ascii: "O"): parity = .odd
    case UInt8(ascii: "E"): parity = .even
    case UInt8(ascii: "M"): parity = .mark
    case UInt8(ascii: "S"): parity = .space
    default: return nil
    }
    let stopSize: StopSize
    switch text[2...] {
    case [UInt8(ascii: "1")]: stopSize = .one
    case [UInt8(ascii: "2")]: stopSize = .two
    case [UInt8(ascii: "1"), UInt8(ascii: "."), UInt8(ascii: "5")]: stopSize = .oneAndAHalf
    default: return nil
    }
    self.init(dataSize: size, parity: parity, stopSize: stopSize)
  }
}
