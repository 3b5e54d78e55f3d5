/// The sending end of the line. Bytes are queued, and each takes the time of its frame.
package struct Sender: Hashable, Sendable, Codable {
  struct Record: Hashable, Codable {
    var bytes: [UInt8]
    var time: Instant
    @LineSpeed var baud: Int
    var format: LineFormat
    /// How long the line is low, if the record is a break and not bytes. It then has one byte, 0.
    var low: Interval?
  }

  /// The last break, until the line is high again.
  struct Break: Hashable, Codable {
    var time: Instant
    var length: Interval
    /// When the line became low; nil while bytes are sent before it.
    var start: Instant?
  }

  /// The speed, in bits a second, of bytes sent from now on.
  @LineSpeed package var baud: Int
  package var format: LineFormat
  private var queue = FIFO<Record>()
  /// The number of bytes in the queue. It is stored, not summed: it is read several times a turn,
  /// and a client that sends single bytes fills the queue with thousands of records.
  private var queuedCount = 0
  /// The bytes being sent, and how many of them are done.
  private var bytes: [UInt8] = []
  private var sent = 0
  @LineSpeed private var sendingBaud: Int
  private var sendingFormat: LineFormat
  /// Which of `bytes` have a low stop bit; nil for none. A break's byte counts as one.
  private var faults: [Int]? { didSet { isRegular = sendingFormat == .standard && faults == nil } }
  /// Whether all frames of the present bytes are correct ones in 8N1.
  private var isRegular = true
  /// How long the line is low, if a break is being sent.
  private var low: Interval?
  private var lastBreak: Break?
  private var clock: ByteClock

  package init(baud: Int, format: LineFormat = .standard) {
    self.baud = baud
    self.format = format
    sendingBaud = baud
    sendingFormat = format
    clock = ByteClock(baud: baud, format: format, startingAt: .zero)
    isRegular = format == .standard
  }

  /// Queues bytes, starting at `instant` or when the line becomes free.
  package mutating func send(_ bytes: [UInt8], at instant: Instant) {
    guard !bytes.isEmpty else { return }
    append(Record(bytes: bytes, time: instant, baud: baud, format: format))
  }

  private mutating func append(_ record: Record) {
    queue.append(record)
    queuedCount += record.bytes.count
    if sent == bytes.count { beginRecord() }
  }

  /// Holds the line low for `length`, starting at `instant` or when the line becomes free. The line
  /// is then high for one bit. A break that is requested while the last one is not over only
  /// changes that one's end, to `length` after `instant`. Returns the last one with its new end if
  /// its frame has been passed on.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) -> ByteFrame? {
    if var last = lastBreak, (last.start ?? instant) + last.length >= instant {
      // One that has not begun keeps the length that it would have had.
      let begin = last.start.flatMap { $0 <= instant ? $0 : nil } ?? last.time
      last.length = max(.zero, instant - begin) + length
      lastBreak = last
      guard let start = last.start else {
        queue.changeLast { record in
          if record.low != nil { record.low = last.length }
          return record.low != nil
        }
        return nil
      }
      if low != nil, sent < bytes.count {
        low = last.length
        return nil
      }
      // Whatever follows it has not begun.
      let frame = frame(ofBreak: last.length, from: start, baud: sendingBaud)
      clock.restart(at: frame.end)
      return frame
    }
    guard length > .zero else { return nil }
    lastBreak = Break(time: instant, length: length)
    append(Record(bytes: [0], time: instant, baud: baud, format: format, low: length))
    return nil
  }

  /// Marks the next byte with this value as one whose stop bit is low. Only bytes that were queued
  /// together with the one on the line are considered.
  package mutating func addFramingError(to byte: UInt8) {
    guard low == nil,
      let index = bytes.indices.dropFirst(sent).first(where: { index in
        bytes[index] == byte && faults?.contains(index) != true
      })
    else { return }
    faults = (faults ?? []) + [index]
  }

  @inline(__always)
  var isIdle: Bool { sent >= bytes.count }

  /// The number of bytes still to send, including the one on the line.
  var count: Int { bytes.count - sent + queuedCount }

  /// Whether it can continue after it was read from a file.
  var canResume: Bool { (0...bytes.count).contains(sent) }

  /// The frame on the line, or the next one; nil if everything is sent.
  package var frame: ByteFrame? {
    guard !isIdle else { return nil }
    if let low { return frame(ofBreak: low, from: clock.instant, baud: sendingBaud) }
    return ByteFrame(
      byte: bytes[sent], baud: sendingBaud, format: sendingFormat,
      start: clock.instant, end: clock.next,
      fault: faults?.contains(sent) == true ? .lowStop : nil)
  }

  private func frame(ofBreak length: Interval, from start: Instant, baud: Int) -> ByteFrame {
    let bit = Interval(nanoseconds: 1_000_000_000 / Int64(baud))
    return ByteFrame(
      byte: 0, baud: baud, start: start, end: start + length + bit, fault: .lineBreak)
  }

  /// Moves past the current frame. There must be one.
  package mutating func finishFrame() {
    if low != nil, let frame {
      clock.restart(at: frame.end)
    } else {
      clock.advance()
    }
    sent += 1
    if sent == bytes.count { beginRecord() }
  }

  /// Finishes the frame and returns its byte and end if it was sent at `baud` in 8N1, and ends by
  /// `end`. The fast path for nearly every byte.
  @inline(__always)
  mutating func finishFrame(at baud: Int, by end: Instant) -> Arrival? {
    guard sent < bytes.count, sendingBaud == baud, isRegular else { return nil }
    var after = clock
    after.advance()
    guard after.instant <= end else { return nil }
    clock = after
    let byte = bytes[sent]
    sent += 1
    if sent == bytes.count { beginRecord() }
    return Arrival(byte: byte, end: after.instant)
  }

  private mutating func beginRecord() {
    guard !queue.isEmpty else { return }
    let record = queue.removeFirst()
    queuedCount -= record.bytes.count
    bytes = record.bytes
    sent = 0
    if record.baud != sendingBaud || record.format != sendingFormat {
      sendingBaud = record.baud
      sendingFormat = record.format
      clock = ByteClock(
        baud: record.baud, format: record.format,
        startingAt: max(clock.instant, record.time))
    } else if clock.instant < record.time {
      clock.restart(at: record.time)
    }
    low = record.low
    faults = low == nil ? nil : [0]
    if low != nil { lastBreak?.start = clock.instant }
  }
}

/// When a sender's line is busy, without its levels. It sends one byte after the other, at a speed
/// and in a format.
package struct OccupiedLine: Hashable, Sendable {
  /// Bits a second.
  package var baud: Int { didSet { byteTime = ByteClock.byteTime(baud: baud, format: format) } }
  package var format = LineFormat.standard {
    didSet { byteTime = ByteClock.byteTime(baud: baud, format: format) }
  }
  /// How long a byte occupies the line, rounded down to whole nanoseconds.
  package private(set) var byteTime: Interval
  package private(set) var free = Instant.zero
  private var lastBreak: LineBreak?

  package init(baud: Int) {
    self.baud = baud
    byteTime = ByteClock.byteTime(baud: baud)
  }

  /// Sends a byte at `instant`, or when the line becomes free. Returns when it begins; it ends at
  /// `free`.
  package mutating func send(at instant: Instant) -> Instant {
    let start = max(instant, free)
    free = start + byteTime
    return start
  }

  /// Whether a break that was sent is not over at an instant.
  package func isInBreak(at instant: Instant) -> Bool {
    lastBreak.map { $0.end > instant } ?? false
  }

  /// Sends a break at `instant`, or when the line becomes free, or changes the end of the last one
  /// if that is not over.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    free = LineBreak.send(
      lasting: length, at: instant, free: free, baud: baud, after: &lastBreak)
  }
}

/// When a break is on a sender's line.
package struct LineBreak: Hashable, Sendable {
  private var request: Instant
  private var start: Instant
  fileprivate var end: Instant

  /// Sends a break at `instant`, or when the line becomes free, at `free`. If the last one is not
  /// over, it only ends at another time: see `Sender.sendBreak`. Returns when the line is free
  /// afterwards: it is high for a bit, and what was sent after the last break moves with its end.
  package static func send(
    lasting length: Interval, at instant: Instant, free: Instant, baud: Int,
    after last: inout LineBreak?
  ) -> Instant {
    if var open = last, open.end >= instant {
      let end = open.end
      // One that has not begun keeps its length.
      open.end =
        (open.start <= instant ? instant : open.start + (instant - open.request)) + length
      last = open
      return free + (open.end - end)
    }
    guard length > .zero else { return free }
    let start = max(instant, free)
    last = LineBreak(request: instant, start: start, end: start + length)
    return start + length + Interval(nanoseconds: 1_000_000_000 / Int64(baud))
  }
}

/// The instants at which bytes sent without a gap end. Each takes ten bit times in 8N1, exact over
/// any number of bytes at any speed.
package struct ByteClock: Hashable, Sendable, Codable {
  /// The end of the last byte, or the start of the first.
  package private(set) var instant: Instant
  /// The fraction of a nanosecond that rounding down has left over, in parts of `baud`.
  private var remainder: Int64 = 0
  private let whole: Int64
  private let part: Int64
  private let baud: Int64

  /// Returns the time one byte takes at `baud` bits a second, rounded down to whole nanoseconds.
  package static func byteTime(baud: Int, format: LineFormat = .standard) -> Interval {
    Interval(nanoseconds: span(format) / Int64(baud))
  }

  /// The time one byte takes at 1 bit a second, in nanoseconds.
  private static func span(_ format: LineFormat) -> Int64 {
    Int64(format.halfBitCount) * 500_000_000
  }

  /// Creates a clock for bytes at `baud` bits a second, which must be positive. The first byte
  /// starts at `start`.
  package init(baud: Int, format: LineFormat = .standard, startingAt start: Instant) {
    precondition(baud > 0, "a line has a positive speed")
    instant = start
    self.baud = Int64(baud)
    whole = Self.span(format) / self.baud
    part = Self.span(format) % self.baud
  }

  /// Advances by one byte. Wraps, since the lengths may have been read from any file.
  package mutating func advance() {
    instant.nanoseconds &+= whole
    remainder &+= part
    if remainder >= baud {
      remainder &-= baud
      instant.nanoseconds &+= 1
    }
  }

  /// The instant at which the next byte ends.
  package var next: Instant {
    var clock = self
    clock.advance()
    return clock.instant
  }

  package mutating func restart(at start: Instant) {
    instant = start
    remainder = 0
  }
}

/// The instants at which a board's bytes arrived, estimated from the reads of its port. The last
/// byte of a read is assumed to have just arrived, and the others before it at the speed of the
/// line.
package struct ArrivalClock: Sendable {
  package let byteTime: Interval
  /// The end of the last byte that arrived.
  private var last = Instant.zero

  /// Creates a clock for bytes at `baud` bits a second, which must be positive.
  package init(baud: Int) { byteTime = ByteClock.byteTime(baud: baud) }

  /// Returns the end of a byte that a read at `instant` returned, with `count` bytes after it. It
  /// is never before the end of an earlier byte: the computer may have read late.
  package mutating func end(before count: Int, readAt instant: Instant) -> Instant {
    let later = Interval(nanoseconds: Int64(count) * byteTime.nanoseconds)
    last = max(last, instant - later)
    return last
  }
}
