/// The receiving end of a USART. It samples a line whose speed can differ from its own.
///
/// ATmega328P data sheet, "Asynchronous Data Reception", double speed mode (which Arduino's core
/// uses): eight samples a bit; the bit is the majority of samples 4, 5 and 6. A start bit that
/// reads high is noise. The search for a new start bit begins right after the stop bit's last
/// sample. A stop bit that reads low is a framing error, which the core does not check: the byte
/// counts.
struct Receiver: Hashable, Sendable, Savable {
  var baud: Int
  private var frames = FIFO<ByteFrame>()
  /// When the search for the next start bit begins.
  private var listening = Instant.zero

  init(baud: Int) { self.baud = baud }

  /// Whether every frame on the line has been processed.
  var isIdle: Bool { frames.isEmpty }

  /// Whether this state is possible. A receiver read from a file may be invalid.
  var isPossible: Bool {
    SerialLine.bauds.contains(baud) && listening != .distantFuture
      && frames.waiting.allSatisfy { $0.isPossible }
      && zip(frames.waiting, frames.waiting.dropFirst()).allSatisfy { $0.end <= $1.start }
  }

  /// The number of frames not processed yet.
  var count: Int { frames.waiting.count }

  mutating func append(_ frame: ByteFrame) { frames.append(frame) }

  /// When the next byte arrives if no further frame is sent.
  var nextDeadline: Instant? { startEdge.map { $0 + bits(sixteenths: 160) } }

  /// Returns the next byte that arrives by `end`. All frames that begin by then must have been
  /// added.
  mutating func next(by end: Instant) -> (byte: UInt8, end: Instant)? {
    while let start = startEdge {
      let arrival = start + bits(sixteenths: 160)
      guard arrival <= end else { return nil }
      if vote(start, bit: 0) {
        listening = start + bits(sixteenths: 11)
      } else {
        var byte: UInt8 = 0
        for bit in 1...8 where vote(start, bit: bit) { byte |= 1 << UInt8(bit - 1) }
        listening = start + bits(sixteenths: 9 * 16 + 11)
        dropPastFrames()
        return (byte, arrival)
      }
    }
    // No falling edge is left in any frame: the line only returns to idle.
    frames.removeAll()
    return nil
  }

  private var startEdge: Instant? {
    for frame in frames.waiting {
      if let edge = frame.fallingEdge(notBefore: listening) { return edge }
    }
    return nil
  }

  /// Returns the majority of a bit's samples 4, 5 and 6. The sampling clock restarts at the falling
  /// edge, on average half a sample late.
  private func vote(_ start: Instant, bit: Int) -> Bool {
    let highs = [7, 9, 11].count { level(at: start + bits(sixteenths: bit * 16 + $0)) }
    return highs >= 2
  }

  private func level(at instant: Instant) -> Bool {
    for frame in frames.waiting where frame.end > instant {
      return frame.start > instant || frame.level(at: instant)
    }
    return true
  }

  private mutating func dropPastFrames() {
    while let frame = frames.first, frame.end <= listening { frames.dropFirst() }
  }

  private func bits(sixteenths: Int) -> Interval {
    Interval(nanoseconds: Int64(sixteenths) * 1_000_000_000 / (16 * Int64(baud)))
  }
}
