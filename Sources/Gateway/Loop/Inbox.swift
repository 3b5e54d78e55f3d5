/// Events that are dealt with one at a time, in the order they came.
///
/// Writing to a channel, closing one or calling out can bring the next event before the present one
/// is dealt with: a failed write makes SwiftNIO read the socket to its end at once. Such an event
/// waits here, so that nobody changes a value that somebody else is changing.
///
///     idle --put: true--> busy --next: nil--> idle
///                         busy --put: false--> busy
struct Inbox<Event> {
  private var waiting: [Event] = []
  /// Whether an event is being dealt with.
  private(set) var isBusy = false

  /// Takes an event. Returns whether the caller is to deal with what `next` returns, until that is
  /// nil; where not, a caller further up the stack does.
  mutating func put(_ event: Event) -> Bool {
    waiting.append(event)
    defer { isBusy = true }
    return !isBusy
  }

  /// The event to deal with now; nil: there is none, and the inbox is idle.
  mutating func next() -> Event? {
    guard !waiting.isEmpty else {
      isBusy = false
      return nil
    }
    return waiting.removeFirst()
  }
}
