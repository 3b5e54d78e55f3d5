/// The board's sending side: the core's ring, and a line at the board's speed.
package struct Transmitter: Hashable, Sendable, Savable {
  private var ring = RingBuffer()
  private var clock: ByteClock

  package init(baud: Int, startingAt start: Instant) {
    clock = ByteClock(baud: baud, startingAt: start)
  }

  /// Whether this state is possible. A transmitter read from a file may be invalid.
  var isPossible: Bool { clock.isPossible }

  /// The number of bytes that can be sent without waiting.
  package var room: Int { RingBuffer.capacity - ring.count }

  /// When the next byte's start bit begins; nil if no byte waits.
  package var nextDeadline: Instant? { ring.isEmpty ? nil : clock.instant }

  /// Puts a byte into the ring, which must not be full.
  package mutating func send(_ byte: UInt8, at instant: Instant) {
    if ring.isEmpty && clock.instant < instant { clock.restart(at: instant) }
    let hadRoom = ring.append(byte)
    precondition(hadRoom, "sent a byte into a full ring")
  }

  /// Begins the next byte, at its deadline, and returns it.
  package mutating func startByte() -> UInt8 {
    clock.advance()
    return ring.removeFirst()
  }
}
