import Traces
package import Turret

/// The result of judging a scenario's rules after the session.
package struct RuleReport: Hashable, Sendable {
  package var rules: [Rule]
  /// The failures of the rules that failed, in their order.
  package var failures: [RuleFailure]
  /// The wrong speed of the sender, which explains most of what failed; nil if there was none.
  package private(set) var wrongSpeed: WrongSpeed?
  /// If rules failed: what the sender probably meant and did not get, in lines. At a wrong speed
  /// that cannot be known.
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
    wrongSpeed = record.wrongSpeed
    if !failures.isEmpty, wrongSpeed == nil { meant = record.misunderstandings.map { $0.line } }
  }

  package var holds: Bool { failures.isEmpty }

  /// The failures as they are shown, with what the sender probably meant; or the number of rules
  /// that hold.
  package var text: String {
    failures.isEmpty
      ? "\(String(counting: rules.count, "rule")) \(rules.count == 1 ? "holds" : "hold")"
      : ((wrongSpeed.map { [$0.text] } ?? []) + failures.map { $0.text }
        + Misunderstanding.list(meant)).joined(separator: "\n")
  }
}
