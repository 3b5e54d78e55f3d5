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
  /// When the line becomes free.
  package private(set) var free = Instant.zero

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

  /// Sends a break at `instant`, or when the line becomes free.
  package mutating func sendBreak(lasting length: Interval, at instant: Instant) {
    free = max(instant, free) + length
  }
}
