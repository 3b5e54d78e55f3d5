/// One byte as it appears on the line (8N1): a start bit, eight data bits, least significant first,
/// and a stop bit.
package struct ByteFrame: Hashable, Sendable, Savable {
  package var byte: UInt8
  package var baud: Int
  package var start: Instant
  package var end: Instant

  package init(byte: UInt8, baud: Int, start: Instant, end: Instant) {
    self.byte = byte
    self.baud = baud
    self.start = start
    self.end = end
  }

  /// Whether this state is possible. A frame read from a file may be invalid.
  var isPossible: Bool {
    guard SerialLine.bauds.contains(baud), start != .distantFuture, end > start else {
      return false
    }
    // The line's clock carries fractions of a nanosecond over.
    return end - start <= ByteClock.byteTime(baud: baud) + .nanoseconds(1)
  }

  /// Returns the instant at which a bit begins: 0 is the start bit, 9 the stop bit.
  package func edge(ofBit bit: Int) -> Instant {
    start + Interval(nanoseconds: Int64(bit) * 1_000_000_000 / Int64(baud))
  }

  /// Returns the level of a bit: true is high (mark, idle).
  package func level(ofBit bit: Int) -> Bool {
    switch bit {
    case 0: false
    case 1...8: byte >> UInt8(bit - 1) & 1 == 1
    default: true
    }
  }

  /// Returns the level at an instant, which must not be before `start`.
  func level(at instant: Instant) -> Bool {
    var bit = Int((instant - start).nanoseconds * Int64(baud) / 1_000_000_000)
    // The division may be one too low if a bit begins between two nanoseconds.
    if bit < 9 && edge(ofBit: bit + 1) <= instant { bit += 1 }
    return level(ofBit: bit)
  }

  /// Returns the first change from high to low that is not before `instant`.
  func fallingEdge(notBefore instant: Instant) -> Instant? {
    var previous = true
    for bit in 0...8 {
      let level = level(ofBit: bit)
      if previous && !level {
        let edge = edge(ofBit: bit)
        if edge >= instant { return edge }
      }
      previous = level
    }
    return nil
  }
}
