import Traces

/// The result of judging a scenario's rules after the session.
package struct RuleReport: Hashable, Sendable {
  package var rules: [Rule]
  /// The failures of the rules that failed, in their order.
  package var failures: [RuleFailure]
  /// If rules failed: what the sender probably meant and did not get, in lines.
  package private(set) var meant: [String] = []

  /// The record must be finished. `sender` is how its process ended; nil if there was none.
  /// `goldens` are the failures of rules that name a trace, by the rules' indices.
  package init(
    _ rules: [Rule], _ record: SessionRecord, sender: SenderOutcome? = nil,
    goldens: [Int: RuleFailure] = [:]
  ) {
    self.rules = rules
    failures = []
    var place = RuleJudge.Place()
    for (index, rule) in rules.enumerated() {
      if let failure = goldens[index] {
        failures.append(failure)
        continue
      }
      if case .sender(let requirement) = rule.requirement {
        let objection =
          sender.map { $0.objection(to: requirement) }
          ?? "the session has no process, so the rule could not be tested"
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
    if !failures.isEmpty { meant = record.misunderstandings.map { $0.line } }
  }

  package var holds: Bool { failures.isEmpty }

  /// The failures as they are shown, or the number of rules that hold.
  package var text: String {
    failures.isEmpty
      ? "\(String(counting: rules.count, "rule")) \(rules.count == 1 ? "holds" : "hold")"
      : failures.map { $0.text }.joined(separator: "\n")
  }
}
