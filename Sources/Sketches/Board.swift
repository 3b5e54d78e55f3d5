/// An Arduino Uno that runs a sketch: the receive ring, reset and bootloader, and the servo's pin.
package struct Board<S: Sketch>: Hashable, Sendable, Codable {
  package private(set) var sketch: S
  package private(set) var ring = RingBuffer()
  @LineSpeed private var baud: Int
  /// When the bootloader starts the sketch. Bytes that arrive earlier are lost to the bootloader.
  private var sketchStart: Instant
  /// The next rising edge on the servo's pin; nil if pulses are not reported.
  private var nextEdge: Instant?

  /// Creates a board that is reset at `start`, without a bootloader. Its port runs at `baud` bits a
  /// second.
  package init(timing: Timing, baud: Int, startingAt start: Instant, showsPulses: Bool) {
    sketch = S(timing: timing, baud: baud, startingAt: start)
    self.baud = baud
    sketchStart = start
    nextEdge = showsPulses ? sketch.pulseTrain.first : nil
  }

  /// Creates a board that has already been running for some time at `instant`.
  package init(timing: Timing, baud: Int, runningAt instant: Instant, showsPulses: Bool) {
    self.init(timing: timing, baud: baud, startingAt: instant, showsPulses: showsPulses)
    sketch = S(timing: timing, baud: baud, runningAt: instant)
  }

  /// Continues at `instant` after the board was read from a file. Whether pulses are reported
  /// belongs to the session. Returns false if the board could not run on.
  package mutating func resume(at instant: Instant, showsPulses: Bool) -> Bool {
    guard sketch.timing.problem == nil, sketch.resume(with: ring) else { return false }
    nextEdge = showsPulses ? sketch.pulseTrain.edge(notBefore: instant + .nanoseconds(1)) : nil
    return nextDeadline.map { $0 > instant } ?? true
  }

  /// When the board next does something if no further byte arrives; nil if never.
  package var nextDeadline: Instant? {
    guard let deadline = sketch.nextDeadline(ring) else { return nextEdge }
    guard let nextEdge else { return deadline }
    return min(deadline, nextEdge)
  }

  /// Receives a byte whose stop bit ends at `instant`, after doing everything due by then.
  @inline(__always)
  package mutating func receive(
    _ byte: UInt8, at instant: Instant, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    recorder.arrived(byte, at: instant)
    guard instant >= sketchStart else {
      recorder.put(.lost(byte, .booting), at: instant)
      return
    }
    let wasEmpty = ring.isEmpty
    guard ring.append(byte) else {
      sketch.lostByte()
      recorder.put(.lost(byte, .ringFull), at: instant)
      return
    }
    if wasEmpty { sketch.wake(at: instant) }
  }

  /// Restarts the board at `instant`. The bootloader owns the line for `deadTime`.
  package mutating func reset(
    at instant: Instant, deadTime: Interval, into recorder: inout Recorder
  ) {
    advance(to: instant, into: &recorder)
    sketch.halt(at: instant, into: &recorder)
    recorder.clearedRing()
    self = Board(
      timing: sketch.timing, baud: baud, startingAt: instant + deadTime,
      showsPulses: nextEdge != nil)
  }

  /// Does everything due up to and including `end`.
  @inline(__always)
  package mutating func advance(to end: Instant, into recorder: inout Recorder) {
    while let edge = nextEdge, edge <= end {
      sketch.advance(to: edge, reading: &ring, into: &recorder)
      if let pulse = sketch.commandedPulse {
        recorder.put(.pulse(microseconds: Double(pulse)), at: edge)
      }
      nextEdge = edge + sketch.pulseTrain.period
    }
    sketch.advance(to: end, reading: &ring, into: &recorder)
  }
}

/// The ring in which the Arduino core keeps received bytes and bytes to send: 64 slots, of which 63
/// can be used.
package struct RingBuffer: Hashable, Sendable, Codable {
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
    slots[Int(tail & 63)] = byte
    tail = next
    return true
  }

  /// Removes and returns the oldest byte. The ring must not be empty.
  package mutating func removeFirst() -> UInt8 {
    precondition(head != tail, "took a byte from an empty ring")
    let byte = slots[Int(head & 63)]
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
package struct Transmitter: Hashable, Sendable, Codable {
  private var ring = RingBuffer()
  private var clock: ByteClock

  package init(baud: Int, startingAt start: Instant) {
    clock = ByteClock(baud: baud, startingAt: start)
  }

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
