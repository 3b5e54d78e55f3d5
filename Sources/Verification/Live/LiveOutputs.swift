import Traces
import Turret

/// A live session's outputs by kind, for searching around an instant.
struct LiveOutputs {
  private var byKind = Array(repeating: [Event](), count: Output.Kind.allCases.count)

  init(_ events: [Event]) {
    for event in events {
      if let kind = event.output?.kind { byKind[kind.rawValue].append(event) }
    }
  }

  subscript(_ kind: Output.Kind) -> [Event] { byKind[kind.rawValue] }

  /// Returns the first output with that value in a period.
  func first(_ output: Output, from start: Instant, to end: Instant) -> Event? {
    for event in events(output.kind, from: start, to: end) where event.matches(output) {
      return event
    }
    return nil
  }

  func contains(_ output: Output, at instant: Instant, within window: Interval) -> Bool {
    first(output, from: instant - window, to: instant + window) != nil
  }

  /// Returns the number of matching outputs around an instant.
  func count(_ output: Output, at instant: Instant, within window: Interval) -> Int {
    var count = 0
    for event in events(output.kind, from: instant - window, to: instant + window)
    where event.matches(output) {
      count += 1
    }
    return count
  }

  private func events(
    _ kind: Output.Kind, from start: Instant, to end: Instant
  ) -> ArraySlice<Event> {
    let events = self[kind]
    let first = events.partitioningIndex { $0.time >= start }
    return events[first...].prefix { $0.time <= end }
  }
}

extension Event {
  /// Whether this is an output that matches the expected one.
  fileprivate func matches(_ expected: Output) -> Bool {
    guard let output else { return false }
    return expected.matches(output)
  }
}
