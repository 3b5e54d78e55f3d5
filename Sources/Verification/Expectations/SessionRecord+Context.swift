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
    let pins = Set(rule.pinNames.compactMap { setup.pin(named: $0) })
    // The levels of a pin that the rule is not about can change all the time.
    func isShown(_ index: Int) -> Bool {
      guard case .pin(let pin, _) = events[index].event.output else { return true }
      return pins.contains(pin) || index == event
    }
    let before = events[..<event].indices.reversed().lazy.filter(isShown).prefix(Self.reach)
    let after = events[(event + 1)...].indices.lazy.filter(isShown).prefix(Self.reach)
    let shown = before.reversed() + [event] + Array(after)
    return RuleFailure(
      rule: rule, notes: notes, time: instant, events: shown.map { events[$0] },
      broken: before.count)
  }

  /// Returns what the sketch was doing at an instant, in a list of at most one.
  func doing(at instant: Instant) -> [String] {
    guard setup.profile == nil, let (period, end) = activities.doing(at: instant) else { return [] }
    let until = end.map { " to \($0.text)" } ?? " on"
    return ["the sketch was \(period.activity.phrase) from \(period.begin.text)\(until)"]
  }

  /// The maximum number of commands that a note lists, and that are compared for it.
  private static let listedMax = 5
  private static let comparedMax = 10_000

  /// Describes what was sent instead of a command, the most similar first.
  func sentInstead(of pattern: TextPattern) -> String {
    var texts: [String] = []
    var changes: [String: Int] = [:]
    for command in commands.prefix(Self.comparedMax) where changes[command.quoted] == nil {
      texts.append(command.quoted)
      changes[command.quoted] = pattern.changes(to: command.text)
    }
    guard !texts.isEmpty else { return "nothing was sent" }
    // At equal similarity, in the order in which they were sent.
    let nearest = texts.enumerated().sorted {
      (changes[$0.element] ?? 0, $0.offset) < (changes[$1.element] ?? 0, $1.offset)
    }.map { $0.element }
    let rest = nearest.count - Self.listedMax
    return "what was sent instead: " + nearest.prefix(Self.listedMax).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Returns the last event by an instant, counted from 0; nil if there is none.
  func event(by instant: Instant) -> Int? {
    let after = events.partitioningIndex { $0.event.time > instant }
    return after > 0 ? after - 1 : nil
  }
}
