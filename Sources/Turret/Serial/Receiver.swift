/// The receiving end of a USART that samples a line whose speed is not its own.
///
/// ATmega328P data sheet, "Asynchronous Data Reception", double speed mode (which Arduino's core
/// uses): eight samples a bit, the majority of samples 4, 5 and 6 is the bit; a start bit that
/// reads high is noise; a new start bit is looked for right after the stop bit's last sample. A
/// stop bit that reads low is a framing error, which the core does not look at: the byte counts.
struct Receiver: Hashable, Sendable, Savable {
  var baud: Int
  private var frames = FIFO<Frame>()
  /// From when on a start bit is looked for.
  private var listening = Instant.zero

  init(baud: Int) { self.baud = baud }

  /// Whether nothing that is on the line is still to be looked at.
  var isIdle: Bool { frames.isEmpty }

  /// Whether a receiver can be like this: one that was read from a file may not.
  var isPossible: Bool {
    SerialLine.bauds.contains(baud) && listening != .distantFuture
      && frames.waiting.allSatisfy { $0.isPossible }
      && zip(frames.waiting, frames.waiting.dropFirst()).allSatisfy { $0.end <= $1.start }
  }

  /// How many frames are still to be looked at.
  var count: Int { frames.waiting.count }

  mutating func append(_ frame: Frame) { frames.append(frame) }

  /// When the next byte arrives if no further frame comes.
  var nextDeadline: Instant? { startEdge.map { $0 + bits(sixteenths: 160) } }

  /// The next byte that arrives by `end`. All frames that begin by then must have been put in.
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
    // No edge is left in any of them: the line only returns to idle.
    frames.removeAll()
    return nil
  }

  private var startEdge: Instant? {
    for frame in frames.waiting {
      if let edge = frame.fallingEdge(notBefore: listening) { return edge }
    }
    return nil
  }

  /// A bit is what two of its samples 4, 5 and 6 say. The clock that takes them starts anew at the
  /// falling edge, on average half a sample late.
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
