/// The board's way out: the core's ring, and the line at the board's speed.
package struct Transmitter: Hashable, Sendable, Savable {
  private var ring = RingBuffer()
  private var clock: ByteClock

  package init(baud: Int, startingAt start: Instant) {
    clock = ByteClock(baud: baud, startingAt: start)
  }

  /// Whether a transmitter can be like this: one that was read from a file may not.
  var isPossible: Bool { clock.isPossible }

  /// How many bytes can be put in without waiting.
  package var room: Int { RingBuffer.capacity - ring.count }

  /// The start bit of the next byte; nil when there is none.
  package var nextDeadline: Instant? { ring.isEmpty ? nil : clock.instant }

  /// Puts a byte in. There must be room.
  package mutating func send(_ byte: UInt8, at instant: Instant) {
    if ring.isEmpty && clock.instant < instant { clock.restart(at: instant) }
    let hadRoom = ring.append(byte)
    precondition(hadRoom, "sent a byte into a full ring")
  }

  /// Begins the next byte, at its deadline.
  package mutating func startByte() -> UInt8 {
    clock.advance()
    return ring.removeFirst()
  }
}
