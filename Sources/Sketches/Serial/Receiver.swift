package struct Arrival: Hashable, Sendable {
  package var byte: UInt8
  /// The end of the stop bit.
  package var end: Instant
  /// Whether the stop bit was low.
  package var hasFramingError = false
  package var hasParityError = false
  /// The ninth data bit; false if the receiver expects fewer.
  package var ninthBit = false

  package init(byte: UInt8, end: Instant) {
    self.byte = byte
    self.end = end
  }
}

/// The receiving end of a USART. It samples a line whose speed and format can differ from its own.
///
/// ATmega328P data sheet, "Asynchronous Data Reception". In double speed mode (which Arduino's core
/// uses) it takes eight samples a bit, and the bit is the majority of samples 4, 5 and 6; in normal
/// speed mode it takes 16, and the majority of 8, 9 and 10. A start bit that reads high is noise.
/// The search for a new start bit, which is a falling edge, begins right after the stop bit's last
/// sample. A stop bit that reads low is a framing error. The core does not check that: the byte
/// counts. A second stop bit is not sampled.
package struct Receiver: Hashable, Sendable, Codable {
  @LineSpeed package var baud: Int
  /// The format that it expects. The number of stop bits has no meaning for a receiver.
  package var format: LineFormat { didSet { format = format.received } }
  /// Whether it takes eight samples a bit (U2X), and not 16.
  package var isDoubleSpeed = true
  /// The frames on the line from which a byte can still be received.
  private var frames = FIFO<ByteFrame>()
  /// When the search for the next start bit begins.
  package private(set) var listening = Instant.zero

  package init(baud: Int, format: LineFormat = .standard) {
    self.baud = baud
    self.format = format.received
  }

  package var isIdle: Bool { frames.isEmpty }

  var count: Int { frames.count }

  package mutating func append(_ frame: ByteFrame) {
    frames.append(frame)
    dropUnreceivable()
  }

  /// Changes the end of the break that is on the line, if it is.
  package mutating func changeBreak(_ frame: ByteFrame) {
    frames.changeLast { last in
      if last.fault == .lineBreak, last.start == frame.start { last = frame }
      return true
    }
  }

  /// Makes the stop bit of the frame low that is on the line, if it is one with this byte. Returns
  /// whether it is.
  mutating func addFramingError(to byte: UInt8) -> Bool {
    var isFound = false
    frames.changeLast { last in
      isFound = last.fault == nil && last.byte == byte
      if isFound { last.fault = .lowStop }
      return true
    }
    return isFound
  }

  /// Returns what arrives of a frame that needs no sampling, because it is one of the receiver's
  /// own speed and format; nil if it must be sampled.
  @inline(__always)
  func arrival(of frame: ByteFrame) -> Arrival? {
    guard frame.baud == baud, frame.fault != .lineBreak, frame.format.received == format else {
      return nil
    }
    // A frame with one stop bit ends with it, to the nanosecond of the line's clock.
    let end = frame.format.stopSize == .one ? frame.end : frame.stopEnd
    var arrival = Arrival(byte: frame.byte & format.mask, end: end)
    arrival.hasFramingError = frame.fault == .lowStop
    return arrival
  }

  private var bitCount: Int { format.bitCount }

  /// How long a frame lasts, up to the end of its first stop bit.
  package var frameTime: Interval { bits(thirtySeconds: bitCount * 32) }

  /// When the next byte arrives if no further frame is sent.
  package var nextDeadline: Instant? { startEdge.map { $0 + frameTime } }

  /// Returns the next byte that arrives by `end`. All frames that begin by then must have been
  /// added.
  package mutating func next(by end: Instant) -> Arrival? {
    let last = isDoubleSpeed ? 22 : 19
    while let start = startEdge {
      let stop = bitCount - 1
      let arrival = start + frameTime
      guard arrival <= end else { return nil }
      if vote(start, bit: 0) {
        listening = start + bits(thirtySeconds: last)
      } else {
        let found = sample(from: start, arrival)
        listening = start + bits(thirtySeconds: stop * 32 + last)
        dropPastFrames()
        dropUnreceivable()
        return found
      }
    }
    dropUnreceivable()
    return nil
  }

  private func sample(from start: Instant, _ end: Instant) -> Arrival {
    let size = Int(format.dataSize)
    var data: UInt16 = 0
    for bit in 0..<size where vote(start, bit: bit + 1) { data |= 1 << UInt16(bit) }
    var found = Arrival(byte: UInt8(truncatingIfNeeded: data), end: end)
    found.ninthBit = data & 0x100 != 0
    if let parity = format.parityBit(of: data) {
      found.hasParityError = vote(start, bit: size + 1) != parity
    }
    found.hasFramingError = !vote(start, bit: bitCount - 1)
    return found
  }

  /// Drops the frames if no falling edge is left in any of them: the line only returns to idle. A
  /// frame that is sent later begins with an edge of its own.
  private mutating func dropUnreceivable() { if startEdge == nil { frames.removeAll() } }

  private var startEdge: Instant? {
    var index = frames.indexOfFirst { $0.end > listening }
    while index < frames.count {
      if let edge = frames[index].fallingEdge(notBefore: listening) { return edge }
      index += 1
    }
    return nil
  }

  /// Returns the majority of a bit's three samples. The sampling clock restarts at the falling
  /// edge, on average half a sample late.
  private func vote(_ start: Instant, bit: Int) -> Bool {
    let samples = isDoubleSpeed ? (14, 18, 22) : (15, 17, 19)
    func isHigh(_ sample: Int) -> Bool { level(at: start + bits(thirtySeconds: bit * 32 + sample)) }
    let (first, second) = (isHigh(samples.0), isHigh(samples.1))
    return first == second ? first : isHigh(samples.2)
  }

  private func level(at instant: Instant) -> Bool {
    let index = frames.indexOfFirst { $0.end > instant }
    guard index < frames.count else { return true }
    return frames[index].start > instant || frames[index].level(at: instant)
  }

  private mutating func dropPastFrames() {
    while let frame = frames.first, frame.end <= listening { frames.dropFirst() }
  }

  private func bits(thirtySeconds: Int) -> Interval {
    Interval(nanoseconds: Int64(thirtySeconds) * 1_000_000_000 / (32 * Int64(baud)))
  }
}
