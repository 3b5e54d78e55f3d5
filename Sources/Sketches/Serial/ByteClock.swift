/// The instants at which bytes sent without a gap end. Each takes ten bit times in 8N1, exact over
/// any number of bytes at any speed.
package struct ByteClock: Hashable, Sendable, Savable {
  /// The end of the last byte, or the start of the first.
  package private(set) var instant: Instant
  /// The fraction of a nanosecond that rounding down has left over, in parts of `baud`.
  private var remainder: Int64 = 0
  private let whole: Int64
  private let part: Int64
  private let baud: Int64
  /// Nil: 8N1.
  private let format: LineFormat?

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
    self.format = format == .standard ? nil : format
    whole = Self.span(format) / self.baud
    part = Self.span(format) % self.baud
  }

  /// Advances by one byte.
  package mutating func advance() {
    instant.nanoseconds += whole
    remainder += part
    if remainder >= baud {
      remainder -= baud
      instant.nanoseconds += 1
    }
  }

  /// The instant at which the next byte ends.
  package var next: Instant {
    var clock = self
    clock.advance()
    return clock.instant
  }

  /// Whether this state is possible. A clock read from a file may be invalid.
  var isPossible: Bool {
    guard (Int64(SerialLine.bauds.lowerBound)...Int64(SerialLine.bauds.upperBound)).contains(baud)
    else { return false }
    let span = Self.span(format ?? .standard)
    return whole == span / baud && part == span % baud
      && (0..<baud).contains(remainder) && instant != .distantFuture
  }

  /// Restarts after a pause.
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
