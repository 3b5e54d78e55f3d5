/// One byte as it appears on the line, or a break.
package struct ByteFrame: Hashable, Sendable, Savable {
  /// A frame that is not as a sender frames a byte.
  package enum Fault: String, Hashable, Sendable, Savable {
    /// The stop bits are low: a framing error.
    case lowStop
    /// The line is low until one bit before the frame's end: a break.
    case lineBreak
  }

  package var byte: UInt8
  package var baud: Int
  package var start: Instant
  package var end: Instant
  /// Nil: 8N1.
  private var framing: LineFormat?
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
    framing = format == .standard ? nil : format
  }

  package var format: LineFormat { framing ?? .standard }

  /// Whether this state is possible. A frame read from a file may be invalid.
  var isPossible: Bool {
    guard SerialLine.bauds.contains(baud), start != .distantFuture, end > start else {
      return false
    }
    if fault == .lineBreak { return end != .distantFuture }
    // The line's clock carries fractions of a nanosecond over.
    return end - start <= ByteClock.byteTime(baud: baud, format: format) + .nanoseconds(1)
  }

  /// The number of bits, with one stop bit.
  package var bitCount: Int { format.bitCount }

  /// Returns the instant at which a bit begins: 0 is the start bit, 9 the stop bit of 8N1.
  package func edge(ofBit bit: Int) -> Instant {
    start + Interval(nanoseconds: Int64(bit) * 1_000_000_000 / Int64(baud))
  }

  /// The end of the first stop bit.
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
