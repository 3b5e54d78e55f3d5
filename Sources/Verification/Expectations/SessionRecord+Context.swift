import Traces
import Turret

// What a failed rule shows of the session.
extension SessionRecord {
  /// How many events are shown on either side of the broken one.
  private static let reach = 2

  func failure(
    _ rule: Rule, _ notes: [String], at instant: Instant? = nil, event: Int? = nil
  ) -> RuleFailure {
    guard let event, events.indices.contains(event) else {
      return RuleFailure(rule: rule, notes: notes, time: instant, events: [], broken: nil)
    }
    let range = max(0, event - Self.reach)..<min(events.count, event + Self.reach + 1)
    return RuleFailure(
      rule: rule, notes: notes, time: instant, events: Array(events[range]),
      broken: event - range.lowerBound)
  }

  /// Returns what the sketch was doing at an instant, in a list of at most one.
  func doing(at instant: Instant) -> [String] {
    guard setup.profile == nil, let (period, end) = activities.doing(at: instant) else { return [] }
    let until = end.map { " to \($0.text)" } ?? " on"
    return ["the sketch was \(period.activity.phrase) from \(period.begin.text)\(until)"]
  }

  /// Returns the last event by an instant, counted from 0; nil if there is none.
  func event(by instant: Instant) -> Int? {
    let after = events.partitioningIndex { $0.event.time > instant }
    return after > 0 ? after - 1 : nil
  }
}
