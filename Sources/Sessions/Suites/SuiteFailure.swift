import Traces
import Verification

/// A rule of a scenario that failed, as text.
package struct SuiteFailure: Hashable, Sendable {
  /// Where the rule is stated: `aim.yaml:9:5`; empty if it is stated nowhere.
  package var place: String
  /// The rule in a few words; empty if what failed is not a rule.
  package var rule: String
  /// All lines, as a terminal shows them. They begin with the place.
  package var text: String

  package init(place: String, rule: String, text: String) {
    self.place = place
    self.rule = rule
    self.text = text
  }

  /// Creates the failure of a sender, not of a rule.
  init(_ text: String) { self.init(place: "", rule: "", text: text) }

  init(_ failure: RuleFailure) {
    self.init(
      place: failure.rule.place, rule: "\(failure.rule.requirement)", text: failure.text)
  }

  /// Whether the sender failed, not a rule.
  var isOfSender: Bool { rule.isEmpty }

  var json: JSONValue {
    var json = JSONText()
    json.add("place", place)
    json.add("rule", rule)
    json.add("text", text)
    return json.value
  }
}
