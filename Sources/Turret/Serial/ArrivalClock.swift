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
