package import Turret

/// Bytes from the board on their way to the sender: each is there when its stop bit ends.
package struct TransmitDelay: Sendable {
  private var queue = FIFO<(byte: UInt8, due: Instant)>()
  private let byteTime: Interval

  /// A board that sends at `baud` bits a second.
  package init(baud: Int) {
    byteTime = ByteClock.byteTime(baud: baud)
  }

  /// When the next byte is there; nil: none is on its way.
  package var nextDeadline: Instant? { queue.first?.due }

  /// A byte's start bit begins.
  package mutating func put(_ byte: UInt8, at start: Instant) {
    queue.append((byte, start + byteTime))
  }

  /// Takes the bytes that are there by `instant`.
  package mutating func take(by instant: Instant) -> [UInt8] {
    var bytes: [UInt8] = []
    while let first = queue.first, first.due <= instant {
      bytes.append(first.byte)
      queue.dropFirst()
    }
    return bytes
  }
}
