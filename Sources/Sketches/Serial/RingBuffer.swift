/// The ring in which the Arduino core keeps received bytes and bytes to send: 64 slots, of which 63
/// can be used.
package struct RingBuffer: Hashable, Sendable {
  /// `SERIAL_RX_BUFFER_SIZE` and `SERIAL_TX_BUFFER_SIZE` are 64; a full ring must differ from an
  /// empty one, so one slot stays free.
  package static let capacity = 63

  private var slots = SIMD64<UInt8>()
  private var head: UInt8 = 0
  private var tail: UInt8 = 0

  package init() {}

  package var count: Int { Int((tail &- head) & 63) }
  package var isEmpty: Bool { head == tail }

  /// Appends a byte. Returns false, and drops the byte, if 63 are waiting.
  package mutating func append(_ byte: UInt8) -> Bool {
    let next = (tail &+ 1) & 63
    guard next != head else { return false }
    slots[Int(tail)] = byte
    tail = next
    return true
  }

  /// Removes and returns the oldest byte. The ring must not be empty.
  package mutating func removeFirst() -> UInt8 {
    precondition(head != tail, "took a byte from an empty ring")
    let byte = slots[Int(head)]
    head = (head &+ 1) & 63
    return byte
  }

  /// Rings are equal if the same bytes wait in them, wherever in the ring they are.
  package static func == (a: RingBuffer, b: RingBuffer) -> Bool {
    a.count == b.count && (0..<a.count).allSatisfy { a.waiting($0) == b.waiting($0) }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    for index in 0..<count { hasher.combine(waiting(index)) }
  }

  /// The waiting bytes, the oldest first.
  var waiting: [UInt8] { (0..<count).map(waiting) }

  private func waiting(_ index: Int) -> UInt8 { slots[(Int(head) + index) & 63] }
}

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
