import Sketches

/// A byte on its way to the board.
struct WireByte: Hashable, Sendable {
  var byte: UInt8
  /// Whether its stop bit is low.
  var hasLowStop = false
}

/// Bytes that are sent back to back from an instant on, or from when the wire is free.
struct WireBytes: Hashable, Sendable {
  var bytes: [WireByte]
  var time: Instant

  var values: [UInt8] { bytes.map { $0.byte } }
}

/// A byte with the start of its frame.
struct FrameStart: Hashable, Sendable {
  var byte: WireByte
  var start: Instant
}

/// A wire whose level is disturbed, and the UART at its end, which samples it as the board's does.
/// It has the sender's speed and format, and takes eight samples a bit, as Arduino's core does.
///
/// What it receives is known at once: what follows on the wire is taken to be idle. Bytes that are
/// sent before the last frame has ended are sampled from where the search for an edge begins again.
struct DisturbedWire: Hashable, Sendable {
  private var receiver: Receiver
  /// The end of the last frame that was received.
  private(set) var busyUntil = Instant.zero
  /// The instants at which the level changes, of what is to be received.
  private var changes: [Instant] = []

  init(baud: Int) { receiver = Receiver(baud: baud) }

  mutating func set(baud: Int, _ format: LineFormat) {
    receiver.baud = baud
    receiver.format = format.received
  }

  /// Inverts the level for a while.
  mutating func invert(from start: Instant, for length: Interval) {
    changes += [start, start + length]
  }

  /// Puts frames on the wire, in order. `flips` are the bits of each that are inverted, the start
  /// bit lowest.
  mutating func put(_ frames: [FrameStart], flips: [UInt16], _ format: LineFormat) {
    var isHigh = true
    var end = Instant.zero
    for (index, place) in frames.enumerated() {
      var frame = ByteFrame(
        byte: place.byte.byte, baud: receiver.baud, format: format, start: place.start,
        end: place.start)
      if place.byte.hasLowStop { frame.fault = .lowStop }
      let levels = frame.levels ^ flips[index]
      for bit in 0..<format.bitCount {
        let level = levels >> UInt16(bit) & 1 == 1
        if level != isHigh { changes.append(frame.edge(ofBit: bit)) }
        isHigh = level
      }
      end = frame.edge(ofBit: format.bitCount)
      // A further stop bit, or a pause, is high.
      let next = index + 1 < frames.count ? frames[index + 1].start : .distantFuture
      if !isHigh, end + .microseconds(1) < next {
        changes.append(end)
        isHigh = true
      }
    }
  }

  /// Returns what the UART receives.
  mutating func receive() -> [FrameStart] {
    changes.sort()
    var index = 0
    while index + 1 < changes.count {
      let (low, high) = (changes[index], changes[index + 1])
      index += 2
      // The level is low in between, which is what a break is.
      guard low < high else { continue }
      receiver.append(
        ByteFrame(
          byte: 0, baud: 1_000_000_000, start: low, end: high + .nanoseconds(1),
          fault: .lineBreak))
    }
    changes = []
    var received: [FrameStart] = []
    while let arrival = receiver.next(by: .distantFuture) {
      busyUntil = arrival.end
      received.append(
        FrameStart(
          byte: WireByte(byte: arrival.byte, hasLowStop: arrival.hasFramingError),
          start: arrival.end - receiver.frameTime))
    }
    return received
  }
}
