package import Sketches

/// Bytes from the board on their way to the sender. Each is available when its stop bit ends.
package struct TransmitDelay: Sendable {
  private var queue = FIFO<(byte: UInt8, start: Instant, due: Instant)>()
  /// The board's speed, in bits a second, for bytes put from now on. It must be positive.
  package var baud: Int
  package var format = LineFormat.standard

  /// Creates a delay for a board that sends at `baud` bits a second.
  package init(baud: Int) { self.baud = baud }

  /// When the next byte is available; nil if none is on its way.
  package var nextDeadline: Instant? { queue.first?.due }

  /// Adds a byte whose start bit begins at `start`.
  package mutating func put(_ byte: UInt8, at start: Instant) {
    queue.append((byte, start, start + ByteClock.byteTime(baud: baud, format: format)))
  }

  /// Removes and returns the bytes available by `instant`.
  package mutating func take(by instant: Instant) -> SentBytes {
    var taken = SentBytes(baud: baud, format: format)
    while let first = queue.first, first.due <= instant {
      taken.bytes.append(first.byte)
      taken.starts.append(first.start)
      queue.dropFirst()
    }
    return taken
  }
}
