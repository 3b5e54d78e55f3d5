import Traces

/// Judges a scenario's rules after the session.
package struct RuleReport: Hashable, Sendable {
  package var rules: [Rule]
  /// Of the rules that failed, in their order.
  package var failures: [RuleFailure]

  /// The record must be finished. `sender` is how its process ended; nil if there was none. Rules
  /// that name a trace are left out.
  package init(_ rules: [Rule], _ record: SessionRecord, sender: SenderOutcome? = nil) {
    self.rules = rules
    failures = []
    var place = RuleJudge.Place()
    for rule in rules {
      if case .sender(let requirement) = rule.requirement {
        let objection =
          sender.map { $0.objection(to: requirement) }
          ?? "the session has no process, so nothing could test the rule"
        if let objection {
          failures.append(RuleFailure(rule: rule, notes: [objection], events: []))
        }
        continue
      }
      let judge = RuleJudge(rule, from: rule.isInOrder ? place : .init())
      switch judge.decide(record) {
      case .open: break
      case .holds(let after): if rule.isInOrder { place = after }
      case .fails(let failure): failures.append(failure)
      }
    }
  }

  package var holds: Bool { failures.isEmpty }

  /// The failures as they are shown, or how many rules hold.
  package var text: String {
    failures.isEmpty
      ? "\(String(counting: rules.count, "rule")) \(rules.count == 1 ? "holds" : "hold")"
      : failures.map { $0.text }.joined(separator: "\n")
  }
}
