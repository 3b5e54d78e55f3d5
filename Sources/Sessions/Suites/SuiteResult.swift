package import Devices
package import Engine
import Judging
import Platform
import Traces

/// The result of one run of a scenario.
package struct SuiteResult: Sendable {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// Rules failed, or the sender did.
    case failed([SuiteFailure])
    /// It could not be judged: a status and a message of one line.
    case error(ExitStatus, String)
    /// The suite was ended before the end of the run.
    case ended
  }

  package var outcome: Outcome
  /// How many rules were judged.
  package var ruleCount = 0
  /// The sender's wrong speed as a sentence, if rules failed and it had one.
  package var wrongSpeed: String?
  /// What the sender probably meant and did not get, in lines, if rules failed.
  package var meant: [String] = []
  /// The faults that were requested and never struck, and a sentence about them; nil if all did.
  package var unstruck: [FaultSpec] = []
  package var unstruckNote: String?
  package var elapsed = Duration.zero
  /// How the sender's process ended, and the end of its standard error; nil if there was none.
  package var sender: SenderReport?
  /// The end of what the sender printed.
  package var output = ErrorTail(keeping: SuiteOutput.keptMax)
  /// The session as a trace; nil if it was not kept.
  package var trace: [UInt8]?
  /// The traces that `--update` rewrote.
  package var updated: [String] = []

  package init(_ outcome: Outcome) { self.outcome = outcome }

  package init(_ failure: Failure) { self.init(.error(failure.status, failure.message)) }

  package var status: ExitStatus {
    switch outcome {
    case .passed, .ended: .agree
    case .failed: .disagree
    case .error(let status, _): Self.suiteStatus(status)
    }
  }

  /// Returns the status of a suite with a scenario that could not be judged. What is wrong usage
  /// for a command is a mistake in a file here.
  private static func suiteStatus(_ status: ExitStatus) -> ExitStatus {
    switch status {
    case .malformed, .noInput, .unavailable, .inputOutput: status
    case .usage: .malformed
    default: .unavailable
    }
  }

  package var failures: [SuiteFailure] {
    if case .failed(let failures) = outcome { failures } else { [] }
  }

  package mutating func add(_ failure: SuiteFailure) {
    switch outcome {
    case .passed: outcome = .failed([failure])
    case .failed(let failures): outcome = .failed(failures + [failure])
    case .error, .ended: break
    }
  }

  /// Adds the scenario's place to a message about its device, and advice if the scenario names a
  /// trace that does not exist yet.
  mutating func advise(_ test: SuiteTest) {
    let prefix = "error: "
    if case .error(.usage, let message) = outcome, message.hasPrefix(prefix) {
      let error = NotationError(test.scenario.place, String(message.dropFirst(prefix.count)))
      outcome = .error(.usage, error.text(in: test.path))
    }
    guard case .error(.noInput, let message) = outcome else { return }
    let isGolden = test.goldens.contains {
      access($0.path, F_OK) != 0 && message.hasPrefix("\(PlainText.escaped($0.path)):")
    }
    if isGolden { outcome = .error(.noInput, message + "; --update writes it") }
  }

  /// Rewrites the traces that the session disagrees with, and those that do not exist yet. Their
  /// rules then hold. `trace` returns the session.
  mutating func update(_ test: SuiteTest, _ trace: () -> [UInt8]) throws(Failure) {
    // The session of a sender that failed must not become the expectation.
    if let sender, sender.status != .agree { return }
    for (rule, path) in test.goldens {
      let others = failures.filter { $0.place != rule.place || $0.rule != "\(rule.requirement)" }
      guard others.count < failures.count || access(path, F_OK) != 0 else { continue }
      var file = try OutputFile(trace: path, isUpdate: true)
      try file.write(trace())
      try file.finish()
      updated.append(path)
      if case .failed = outcome { outcome = others.isEmpty ? .passed : .failed(others) }
    }
  }
}

/// A rule of a scenario that failed, as text.
package struct SuiteFailure: Hashable, Sendable {
  /// Where the rule is stated: `aim.yaml:9:5`; empty if it is stated nowhere.
  package var place: String
  /// The rule in a few words; empty if what failed is not a rule.
  package var rule: String
  /// All lines, as a terminal shows them. They begin with the place.
  package var text: String
  /// Whether the session did not test the rule.
  package var isUntested = false

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
    isUntested = !failure.cause.isTested
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

/// The lines of what a sender printed, as a report shows them.
enum SuiteOutput {
  /// How much of it is kept, in bytes.
  static let keptMax = 1 << 16
  /// How many of its lines are shown.
  static let lineMax = 40

  /// Returns the last lines, after a heading if earlier ones are left out.
  static func lines(_ output: ErrorTail) -> [String] {
    guard !output.bytes.isEmpty else { return [] }
    let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0) }
    let left = lines.count - lineMax
    guard left > 0 || output.isCut else { return lines }
    return ["(the end)"] + lines.suffix(lineMax)
  }
}
