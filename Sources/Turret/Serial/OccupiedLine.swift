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
  /// The last break; nil before the first.
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
