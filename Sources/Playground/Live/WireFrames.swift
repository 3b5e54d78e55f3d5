import Traces
import Turret

/// The bytes that the sender puts on the wire, bit by bit, as the page draws them.
struct WireFrames: Sendable {
  /// Frames that have begun and that the page has not taken.
  private(set) var begun: [ByteFrame] = []
  private var sender: Sender

  init(baud: Int) { sender = Sender(baud: baud) }

  mutating func send(_ bytes: [UInt8], at instant: Instant) { sender.send(bytes, at: instant) }

  mutating func advance(to now: Instant) {
    while let frame = sender.frame, frame.start <= now {
      begun.append(frame)
      sender.finishFrame()
    }
  }

  /// Returns what has begun since the last call: its start, its end, the byte's name, and the
  /// levels of its bits.
  mutating func take() -> JSONValue {
    defer { begun.removeAll() }
    return .array(
      begun.map { frame in
        var levels = ""
        for bit in 0..<frame.bitCount { levels += frame.level(ofBit: bit) ? "1" : "0" }
        return .array([
          .microseconds(frame.start), .microseconds(frame.end),
          .string(ByteText.name(frame.byte)), .string(levels),
        ])
      })
  }
}
