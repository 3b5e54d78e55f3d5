/// How a UART frames each byte: a start bit, the data bits, least significant first, a parity bit
/// if there is one, and the stop bits.
package struct LineFormat: Hashable, Sendable, Codable {
  /// The parity bit. The numbers are those of RFC 2217.
  package enum Parity: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case none = 1
    case odd, even, mark, space
  }

  /// The minimum time for which the line is high after a byte. The numbers are those of RFC 2217.
  package enum StopSize: UInt8, Hashable, Sendable, Codable, CaseIterable {
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
  private static let parities: [(letter: String, parity: Parity)] = [
    ("N", .none), ("O", .odd), ("E", .even), ("M", .mark), ("S", .space),
  ]
  private static let stopSizes: [(text: String, size: StopSize)] = [
    ("1", .one), ("2", .two), ("1.5", .oneAndAHalf),
  ]

  /// The usual abbreviation, for example `7E1`.
  package var description: String {
    let letter = Self.parities.first { $0.parity == parity }?.letter ?? ""
    let stop = Self.stopSizes.first { $0.size == stopSize }?.text ?? ""
    return "\(dataSize)\(letter)\(stop)"
  }

  /// Parses an abbreviation as `description` writes it; nil for anything else.
  package init?(_ text: String) {
    let text = Array(text.utf8)
    guard text.count >= 3, case let size = text[0] &- UInt8(ascii: "0"),
      Self.dataSizes.contains(size),
      let parity = Self.parities.first(where: { $0.letter.utf8.first == text[1] })?.parity,
      let stop = Self.stopSizes.first(where: { text[2...].elementsEqual($0.text.utf8) })?.size
    else { return nil }
    self.init(dataSize: size, parity: parity, stopSize: stop)
  }
}

/// One byte as it appears on the line, or a break.
package struct ByteFrame: Hashable, Sendable, Codable {
  /// A frame that is not as a sender frames a byte.
  package enum Fault: String, Hashable, Sendable, Codable {
    /// The stop bits are low: a framing error.
    case lowStop
    /// The line is low until one bit before the frame's end: a break.
    case lineBreak
  }

  package var byte: UInt8
  @LineSpeed package var baud: Int
  package var start: Instant
  package var end: Instant
  package let format: LineFormat
  package var fault: Fault?

  package init(
    byte: UInt8, baud: Int, format: LineFormat = .standard, start: Instant, end: Instant,
    fault: Fault? = nil
  ) {
    self.byte = byte
    self.baud = baud
    self.start = start
    self.end = end
    self.fault = fault
    self.format = format
  }

  /// The number of bits, with one stop bit.
  package var bitCount: Int { format.bitCount }

  /// Returns the instant at which a bit begins: 0 is the start bit, 9 the stop bit of 8N1.
  package func edge(ofBit bit: Int) -> Instant {
    start + Interval(nanoseconds: Int64(bit) * 1_000_000_000 / Int64(baud))
  }

  var stopEnd: Instant { edge(ofBit: bitCount) }

  /// When a break ends: the line is high for the frame's last bit.
  package var breakEnd: Instant {
    max(start, end - Interval(nanoseconds: 1_000_000_000 / Int64(baud)))
  }

  /// The levels of the bits, the start bit lowest; those of a break are all low.
  package var levels: UInt16 {
    switch fault {
    case nil: format.levels(of: byte)
    case .lowStop: format.levels(of: byte) & ~(UInt16.max << UInt16(bitCount - 1))
    case .lineBreak: 0
    }
  }

  /// Returns the level of a bit: true is high (mark, idle). A break has no bits.
  package func level(ofBit bit: Int) -> Bool { levels >> UInt16(bit) & 1 == 1 }

  /// The number of instants at which a level begins: that of each bit, and the high level after low
  /// stop bits. A break has two.
  package var changeCount: Int {
    switch fault {
    case nil: bitCount
    case .lowStop: bitCount + 1
    case .lineBreak: 2
    }
  }

  /// Returns one of these instants, and the level that begins then.
  package func change(_ index: Int) -> (instant: Instant, isHigh: Bool) {
    if fault == .lineBreak { return index == 0 ? (start, false) : (breakEnd, true) }
    return index == bitCount ? (end, true) : (edge(ofBit: index), level(ofBit: index))
  }

  /// Returns the level at an instant, which must not be before `start`.
  package func level(at instant: Instant) -> Bool {
    if fault == .lineBreak { return instant >= breakEnd }
    var bit = Int((instant - start).nanoseconds * Int64(baud) / 1_000_000_000)
    // The division may be one too low if a bit begins between two nanoseconds.
    if edge(ofBit: bit + 1) <= instant { bit += 1 }
    return level(ofBit: min(bit, 15))
  }

  /// Returns the first change from high to low that is not before `instant`.
  func fallingEdge(notBefore instant: Instant) -> Instant? {
    if fault == .lineBreak { return start >= instant ? start : nil }
    let levels = levels
    // A set bit: it is low, and the one before it was high. Before the start bit the line is high.
    var edges = ~levels & (levels << 1 | 1)
    while edges != 0 {
      let edge = edge(ofBit: edges.trailingZeroBitCount)
      if edge >= instant { return edge }
      edges &= edges - 1
    }
    return nil
  }
}
