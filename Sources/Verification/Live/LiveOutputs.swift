import Traces
import Turret

/// A live session's outputs, of one kind at a time, to look for one at an instant.
struct LiveOutputs {
  private var lanes = Array(repeating: [Event](), count: Output.Kind.allCases.count)

  init(_ events: [Event]) {
    for event in events {
      if let kind = event.output?.kind { lanes[kind.rawValue].append(event) }
    }
  }

  subscript(_ kind: Output.Kind) -> [Event] { lanes[kind.rawValue] }

  /// The first with that value in a stretch of time.
  func first(_ output: Output, from start: Instant, to end: Instant) -> Event? {
    let lane = self[output.kind]
    let first = lane.partitioningIndex { $0.time >= start }
    return lane[first...].prefix { $0.time <= end }.first {
      $0.output.map(output.matches) ?? false
    }
  }

  func contains(_ output: Output, at instant: Instant, within window: Interval) -> Bool {
    first(output, from: instant - window, to: instant + window) != nil
  }

  /// How many there are about an instant.
  func count(_ output: Output, at instant: Instant, within window: Interval) -> Int {
    let lane = self[output.kind]
    let first = lane.partitioningIndex { $0.time >= instant - window }
    return lane[first...].prefix { $0.time <= instant + window }.count {
      $0.output.map(output.matches) ?? false
    }
  }
}
