/// Judges a scenario's rules after the session.
package struct RuleReport: Hashable, Sendable {
  package var rules: [Rule]
  /// Of the rules that failed, in their order.
  package var failures: [RuleFailure]

  /// The record must be finished. Rules that speak of more than the session's events are left out.
  package init(_ rules: [Rule], _ record: SessionRecord) {
    self.rules = rules
    failures = []
    var place = RuleJudge.Place()
    for rule in rules {
      let judge = RuleJudge(rule, from: rule.isInOrder ? place : .init())
      switch judge.decide(record) {
      case .open: break
      case .holds(let after): if rule.isInOrder { place = after }
      case .fails(let failure): failures.append(failure)
      }
    }
  }
}
