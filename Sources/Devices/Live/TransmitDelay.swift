package import Turret

/// Bytes from the board on their way to the sender. Each is available when its stop bit ends.
package struct TransmitDelay: Sendable {
  private var queue = FIFO<(byte: UInt8, due: Instant)>()
  private let byteTime: Interval

  /// Creates a delay for a board that sends at `baud` bits a second.
  package init(baud: Int) {
    byteTime = ByteClock.byteTime(baud: baud)
  }

  /// When the next byte is available; nil if none is on its way.
  package var nextDeadline: Instant? { queue.first?.due }

  /// Adds a byte whose start bit begins at `start`.
  package mutating func put(_ byte: UInt8, at start: Instant) {
    queue.append((byte, start + byteTime))
  }

  /// Removes and returns the bytes available by `instant`.
  package mutating func take(by instant: Instant) -> [UInt8] {
    var bytes: [UInt8] = []
    while let first = queue.first, first.due <= instant {
      bytes.append(first.byte)
      queue.dropFirst()
    }
    return bytes
  }
}
