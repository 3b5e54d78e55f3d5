/// The sending end of the line. Bytes are queued and take ten bit times each.
package struct Sender: Hashable, Sendable, Savable {
  struct Record: Hashable, Savable {
    var bytes: [UInt8]
    var time: Instant
    var baud: Int
  }

  /// A saved state holds the bytes, so their count is not saved.
  enum CodingKeys: SavedKey {
    case baud, queue, bytes, sent, sendingBaud, clock
  }

  /// The speed, in bits a second, of bytes sent from now on.
  package var baud: Int
  private var queue = FIFO<Record>()
  /// The number of bytes in the queue. It is stored, not summed: it is read several times a turn,
  /// and a client that sends single bytes fills the queue with thousands of records.
  private var queuedCount = 0
  /// The bytes being sent, and how many of them are done.
  private var bytes: [UInt8] = []
  private var sent = 0
  private var sendingBaud: Int
  private var clock: ByteClock

  package init(baud: Int) {
    self.baud = baud
    sendingBaud = baud
    clock = ByteClock(baud: baud, startingAt: .zero)
  }

  /// Restores a sender from a saved state.
  init(
    baud: Int, queue: FIFO<Record>, bytes: [UInt8], sent: Int, sendingBaud: Int, clock: ByteClock
  ) {
    self.baud = baud
    self.queue = queue
    self.bytes = bytes
    self.sent = sent
    self.sendingBaud = sendingBaud
    self.clock = clock
    queuedCount = queue.waiting.reduce(0) { $0 + $1.bytes.count }
  }

  /// Queues bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    guard !bytes.isEmpty else { return }
    queue.append(Record(bytes: bytes, time: instant, baud: baud))
    queuedCount += bytes.count
    if sent == self.bytes.count { beginRecord() }
  }

  /// The number of bytes still to send, including the one on the line.
  var count: Int { bytes.count - sent + queuedCount }

  /// Whether this state is possible. A sender read from a file may be invalid.
  var isPossible: Bool {
    let bauds = SerialLine.bauds
    guard bauds.contains(baud), bauds.contains(sendingBaud), clock.isPossible,
      (0...bytes.count).contains(sent), sent < bytes.count || queue.isEmpty
    else { return false }
    return queue.waiting.allSatisfy {
      !$0.bytes.isEmpty && $0.time != .distantFuture && bauds.contains($0.baud)
    }
  }

  /// The frame on the line, or the next one; nil if everything is sent.
  package var frame: ByteFrame? {
    guard sent < bytes.count else { return nil }
    return ByteFrame(byte: bytes[sent], baud: sendingBaud, start: clock.instant, end: clock.next)
  }

  /// Moves past the current frame. There must be one.
  package mutating func finishFrame() {
    clock.advance()
    sent += 1
    if sent == bytes.count { beginRecord() }
  }

  /// Finishes the frame and returns its byte and end if it was sent at `baud` and ends by `end`.
  /// The fast path for nearly every byte.
  @inline(__always)
  mutating func finishFrame(at baud: Int, by end: Instant) -> (byte: UInt8, end: Instant)? {
    guard sent < bytes.count, sendingBaud == baud else { return nil }
    var after = clock
    after.advance()
    guard after.instant <= end else { return nil }
    clock = after
    let byte = bytes[sent]
    sent += 1
    if sent == bytes.count { beginRecord() }
    return (byte, after.instant)
  }

  private mutating func beginRecord() {
    guard !queue.isEmpty else { return }
    let record = queue.removeFirst()
    queuedCount -= record.bytes.count
    bytes = record.bytes
    sent = 0
    if record.baud != sendingBaud {
      sendingBaud = record.baud
      clock = ByteClock(baud: record.baud, startingAt: max(clock.instant, record.time))
    } else if clock.instant < record.time {
      clock.restart(at: record.time)
    }
  }
}
