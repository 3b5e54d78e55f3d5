import Traces
import Turret

/// Puts the events of several channels in the order of their times. A channel gives an event when
/// it is complete, which can be after a later one of another channel.
struct EventSorter {
  private var waiting: [Event] = []

  /// Adds an event after those of the same time, but inputs before outputs.
  mutating func add(_ event: Event) {
    var index = waiting.count
    while index > 0, Self.precedes(event, waiting[index - 1]) { index -= 1 }
    waiting.insert(event, at: index)
  }

  /// Gives the events before an instant, and removes them.
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
