import Traces
import Turret

/// Sorts the events of several channels by time. A channel produces an event only when it is
/// complete, by which time another channel may have produced a later one.
struct EventSorter {
  private var waiting: [Event] = []

  /// Adds an event after others of the same time, except that inputs precede outputs.
  mutating func add(_ event: Event) {
    var index = waiting.count
    while index > 0, Self.precedes(event, waiting[index - 1]) { index -= 1 }
    waiting.insert(event, at: index)
  }

  /// Passes the events before an instant to `take`, and removes them.
  mutating func release(
    before time: Int64, _ take: (Event) throws(CaptureError) -> Void
  ) throws(CaptureError) {
    var count = 0
    while count < waiting.count, waiting[count].time.nanoseconds < time {
      try take(waiting[count])
      count += 1
    }
    if count > 0 { waiting.removeFirst(count) }
  }

  private static func precedes(_ a: Event, _ b: Event) -> Bool {
    if a.time != b.time { return a.time < b.time }
    return a.isInput && !b.isInput
  }
}
