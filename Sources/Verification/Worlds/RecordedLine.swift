import Turret

/// The times of the bytes on a line according to a recording: back to back within a record, and
/// later than the record's time if the line was busy.
struct RecordedLine {
  /// A byte's place on the line.
  struct Place {
    /// When its start bit begins.
    var start: Instant
    /// How long the bytes before it occupy the line.
    var offset: Interval
  }

  /// The speed in bits a second.
  var baud: Int
  var format = LineFormat.standard
  private var free = Instant.zero
  private var occupied = Interval.zero
  /// The last break; nil before the first.
  private var lastBreak: LineBreak?

  init(baud: Int) { self.baud = baud }

  /// How long a byte occupies the line.
  var byteTime: Interval { ByteClock.byteTime(baud: baud, format: format) }

  /// Takes a break: nothing else is sent until it is over. If the last one is not over, it only
  /// ends at another time.
  mutating func sendBreak(lasting length: Interval, at time: Instant) {
    free = LineBreak.send(lasting: length, at: time, free: free, baud: baud, after: &lastBreak)
  }

  mutating func send(_ count: Int, at time: Instant) -> [Place] {
    var clock = ByteClock(baud: baud, format: format, startingAt: max(time, free))
    var places: [Place] = []
    for _ in 0..<count {
      places.append(Place(start: clock.instant, offset: occupied))
      clock.advance()
      occupied = occupied + byteTime
    }
    free = clock.instant
    return places
  }
}
