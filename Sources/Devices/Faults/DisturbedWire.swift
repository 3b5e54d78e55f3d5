import Sketches

struct WireByte: Hashable, Sendable {
  var byte: UInt8
  var hasLowStop = false
}

/// Bytes that are sent back to back from an instant on, or from when the wire is free.
struct WireBytes: Hashable, Sendable {
  var bytes: [WireByte]
  var time: Instant

  var values: [UInt8] { bytes.map { $0.byte } }
}

struct FrameStart: Hashable, Sendable {
  var byte: WireByte
  var start: Instant
}

/// A wire whose level is disturbed, and the UART at its end, which samples it as the board's does.
/// It has the sender's speed and format, and takes eight samples a bit, as Arduino's core does.
///
/// A frame that is sent at once after another can change what is sampled of that one. So a byte is
/// received when the wire is known up to its end, and it makes no difference in how many writes the
/// frames were sent.
struct DisturbedWire: Hashable, Sendable {
  private var receiver: Receiver
  private var format = LineFormat.standard
  /// The instants at which the level changes, in order, of what the receiver does not have yet. A
  /// wire is high before the first of them and after the last.
  private var changes: ArraySlice<Instant> = []
  /// Whether the receiver already has the first low level, whose end can still change.
  private var hasFirst = false
  /// The end of the last frame, if its last bit is low.
  private var lowEnd: Instant?

  /// Frames that are closer than this follow without a gap: times can be rounded.
  private static var gap: Interval { .microseconds(1) }

  init(baud: Int) { receiver = Receiver(baud: baud) }

  mutating func set(baud: Int, _ format: LineFormat) {
    receiver.baud = baud
    receiver.format = format.received
    self.format = format
  }

  /// Whether nothing is on the wire that the receiver has not sampled.
  var isIdle: Bool { changes.isEmpty && receiver.isIdle }

  /// Whether a frame that begins at an instant is received as it was sent, if it is not disturbed.
  func isReady(at instant: Instant) -> Bool { isIdle && receiver.listening <= instant }

  /// When more is known of what is on the wire; nil if it is idle.
  var nextDeadline: Instant? {
    if let arrival = receiver.nextDeadline { return arrival }
    let index = changes.startIndex + (hasFirst ? 1 : 0)
    return index < changes.endIndex ? changes[index] + Self.gap + .nanoseconds(1) : nil
  }

  mutating func invert(from start: Instant, for length: Interval) {
    change(at: start)
    change(at: start + length)
  }

  /// Puts a frame on the wire, after those before it. `flips` are the bits that are inverted, the
  /// start bit lowest.
  mutating func put(_ place: FrameStart, flips: UInt16) {
    var frame = ByteFrame(
      byte: place.byte.byte, baud: receiver.baud, format: format, start: place.start,
      end: place.start)
    if place.byte.hasLowStop { frame.fault = .lowStop }
    let levels = frame.levels ^ flips
    var isHigh = true
    if let end = lowEnd, place.start < end + Self.gap {
      // The level stays low in between.
      change(at: end)
      isHigh = false
    }
    for bit in 0..<format.bitCount {
      let level = levels >> UInt16(bit) & 1 == 1
      if level != isHigh { change(at: frame.edge(ofBit: bit)) }
      isHigh = level
    }
    // A further stop bit, or a pause, is high.
    lowEnd = isHigh ? nil : frame.edge(ofBit: format.bitCount)
    if let lowEnd { change(at: lowEnd) }
  }

  /// Changes the level from an instant on. Two changes at once are none.
  private mutating func change(at instant: Instant) {
    // Noise on a slow wire has thousands of changes ahead.
    let index = changes.partitioningIndex { $0 > instant }
    if index > changes.startIndex, changes[index - 1] == instant {
      changes.remove(at: index - 1)
    } else {
      changes.insert(instant, at: index)
    }
  }

  /// Returns the next byte that the UART has received by `end`. All that is on the wire before then
  /// must have been put there.
  mutating func next(by end: Instant) -> FrameStart? {
    feed(before: end)
    return receiver.next(by: end).map { arrival in
      FrameStart(
        byte: WireByte(byte: arrival.byte, hasLowStop: arrival.hasFramingError),
        start: arrival.end - receiver.frameTime)
    }
  }

  /// Gives the receiver the low levels that begin before `end`. To it, each is a break.
  private mutating func feed(before end: Instant) {
    while let start = changes.first, start < end, changes.count > 1 {
      let stop = changes[changes.startIndex + 1]
      let low = ByteFrame(
        byte: 0, baud: 1_000_000_000, start: start, end: stop + .nanoseconds(1),
        fault: .lineBreak)
      if hasFirst { receiver.changeBreak(low) } else { receiver.append(low) }
      hasFirst = stop + Self.gap >= end
      if hasFirst { return }
      // In constant time, as a long frame can have many thousands.
      changes = changes.dropFirst(2)
    }
  }
}
