/// The instants at which bytes that follow each other without a gap end: ten bit times each (8N1),
/// exact over any number of bytes, whatever the speed.
package struct ByteClock: Hashable, Sendable, Savable {
  /// The end of the last byte, or the start of the first.
  package private(set) var instant: Instant
  /// What of a nanosecond has been cut off, in parts of `baud`.
  private var remainder: Int64 = 0
  private let whole: Int64
  private let part: Int64
  private let baud: Int64

  /// How long one byte takes at `baud` bits a second, cut off to whole nanoseconds.
  package static func byteTime(baud: Int) -> Interval {
    Interval(nanoseconds: 10_000_000_000 / Int64(baud))
  }

  /// Bytes at `baud` bits a second, which must be positive; the first starts at `start`.
  package init(baud: Int, startingAt start: Instant) {
    precondition(baud > 0, "a line has a positive speed")
    instant = start
    self.baud = Int64(baud)
    whole = 10_000_000_000 / self.baud
    part = 10_000_000_000 % self.baud
  }

  /// Moves on by one byte.
  package mutating func advance() {
    instant.nanoseconds += whole
    remainder += part
    if remainder >= baud {
      remainder -= baud
      instant.nanoseconds += 1
    }
  }

  /// The instant of the next byte's end.
  package var next: Instant {
    var clock = self
    clock.advance()
    return clock.instant
  }

  /// Whether a clock can be like this: one that was read from a file may not.
  var isPossible: Bool {
    guard (Int64(SerialLine.bauds.lowerBound)...Int64(SerialLine.bauds.upperBound)).contains(baud)
    else { return false }
    return whole == 10_000_000_000 / baud && part == 10_000_000_000 % baud
      && (0..<baud).contains(remainder) && instant != .distantFuture
  }

  /// Starts anew, after a pause.
  package mutating func restart(at start: Instant) {
    instant = start
    remainder = 0
  }
}
