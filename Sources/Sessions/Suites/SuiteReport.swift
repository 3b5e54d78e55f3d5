import Devices
package import Engine
import Judging
import Traces

/// The results of a suite, in the order of its plan, as text and as a status.
package struct SuiteReport: Sendable {
  package let plan: SuitePlan
  /// The files that are not scenarios.
  package let refused: [RefusedFile]
  /// Whether only the first failure of a repeated scenario is shown in full.
  private let isFlaky: Bool
  /// A result for each of the plan's first runs.
  private(set) var results: [SuiteResult] = []
  private var tally = SuiteTally()
  /// How often each test failed.
  private var failureCounts: [Int]
  /// For each test that was repeated, the faults that have struck in none of its runs; nil before
  /// the first.
  private var unstruck: [[FaultSpec]?]
  /// The rules that not every session tests, with how each failed first, and those that one has
  /// tested: of the suite or, for a rule about faults, of the runs of its scenario.
  private var awaited: [(key: String, isOfSuite: Bool, test: Int, failure: SuiteFailure)] = []
  private var met: Set<String> = []

  package init(_ plan: SuitePlan, refused: [RefusedFile] = [], isFlaky: Bool = false) {
    self.plan = plan
    self.refused = refused
    self.isFlaky = isFlaky
    failureCounts = Array(repeating: 0, count: plan.tests.count)
    unstruck = Array(repeating: nil, count: plan.tests.count)
  }

  /// The title of the run whose result is taken next.
  package var nextTitle: String { title(plan.runs[results.count]) }

  /// The title of the scenario whose first run's result is taken next; nil for a later run.
  package var nextFirst: String? {
    let run = plan.runs[results.count]
    return run.attempt == 1 ? plan.test(run).title : nil
  }

  /// Takes the next run's result. Returns what is printed about it; nil for nothing.
  package mutating func take(_ result: SuiteResult, isVerbose: Bool = false) -> String? {
    let run = plan.runs[results.count]
    var result = result
    takeAwaited(of: run, from: &result)
    // A probability decides, so other seeds can test what this one did not.
    if !isRepeated, let note = result.unstruckNote,
      result.failures.contains(where: { $0.isUntested }),
      result.unstruck.contains(where: { $0.text.contains("%") })
    {
      result.unstruckNote = note + " --repeat 20 runs the scenario with 20 seeds."
    }
    // It is large, and only who prints the result writes it.
    result.trace = nil
    results.append(result)
    tally.add(result.outcome)
    let isFirst = failureCounts[run.test] == 0
    if result.status != .agree { failureCounts[run.test] += 1 }
    if isRepeated, !result.isUndecided {
      let all = result.unstruck
      unstruck[run.test] = unstruck[run.test].map { $0.filter { all.contains($0) } } ?? all
      // What does not strike in one run can strike in the next.
      result.unstruckNote = nil
    }
    if isFlaky, !isFirst, result.status != .agree { return nil }
    return Self.text(result, title(run), isVerbose: isVerbose)
  }

  /// Takes the rules out of a result that another session can test: `sometimes` any of the suite,
  /// and one about faults that are drawn, another run of the scenario. It is by chance that none
  /// struck, or that nothing was sent after the last.
  private mutating func takeAwaited(of run: SuitePlan.Run, from result: inout SuiteResult) {
    if result.isUndecided { return }
    for rule in plan.tests[run.test].scenario.rules {
      guard case .faults(let faults) = rule.requirement else { continue }
      let text = "\(rule.requirement)"
      let isOfSuite = faults.isAboutSuite
      let key = isOfSuite ? text : "\(run.test) \(rule.place)"
      func isOf(_ failure: SuiteFailure) -> Bool {
        failure.rule == text && (isOfSuite || failure.place == rule.place)
      }
      guard let failure = result.failures.first(where: isOf),
        isOfSuite || failure.isUntested && isRepeated
      else {
        met.insert(key)
        continue
      }
      if !awaited.contains(where: { $0.key == key }) {
        awaited.append((key, isOfSuite, run.test, failure))
      }
      let others = result.failures.filter { !isOf($0) }
      result.outcome = others.isEmpty ? .passed : .failed(others)
    }
  }

  /// The rules that no session has tested, each with what is said of that.
  var unmet: [(words: String, test: SuiteTest, failure: SuiteFailure)] {
    awaited.filter { !met.contains($0.key) }.map {
      (
        $0.isOfSuite ? "no session of the suite met it" : "no run tested it",
        plan.tests[$0.test], $0.failure
      )
    }
  }

  // MARK: Text

  /// The name of a run, with its attempt and its seed if there are several.
  func title(_ run: SuitePlan.Run) -> String { plan.test(run).title + note(run) }

  /// The attempt of a run, and the seed with which it can be repeated alone; empty if there is one
  /// run of each scenario.
  private func note(_ run: SuitePlan.Run) -> String {
    guard isRepeated else { return "" }
    let seed = plan.seed(run).map { ", seed \($0)" } ?? ""
    return " (run \(run.attempt)\(seed))"
  }

  /// Returns what is printed about a run; nil for nothing.
  static func text(_ result: SuiteResult, _ title: String, isVerbose: Bool) -> String? {
    let title = "\(title) (\(TraceReport.seconds(result.elapsed)) s)"
    var lines = result.updated.map { "\(PlainText.escaped($0)): updated" }
    if let note = result.unstruckNote { lines.append("\(title): \(note)") }
    var printed = SuiteOutput.lines(result.output).map { "  | \($0)" }
    if !printed.isEmpty { printed.insert("the sender printed:", at: 0) }
    switch result.outcome {
    case .ended: return nil
    case .passed:
      if isVerbose { lines.append("passed  \(title)") }
      return lines.isEmpty ? nil : lines.joined(separator: "\n")
    case .error(_, let message): lines += ["ERROR   \(title)", message] + printed
    case .failed(let failures):
      // The failure of a sender explains why the rules after it fail.
      let sender = failures.filter(\.isOfSender).map(\.text)
      let rules = failures.filter { !$0.isOfSender }.map(\.text)
      lines += ["FAILED  \(title)"] + (result.wrongSpeed.map { [$0] } ?? []) + sender
      lines += sender.isEmpty ? rules + printed : printed + rules
      lines += Misunderstanding.list(result.meant)
    }
    return lines.joined(separator: "\n")
  }

  /// Returns the last line, with the time unless that is nil. With `--flaky`, the lines before it
  /// show how often each scenario failed.
  package func summary(in elapsed: Duration?) -> String {
    var lines = unmet.map { "FAILED  \($0.words): \($0.failure.text)" }
    let finished = finishedCounts
    for (index, faults) in unstruck.enumerated() {
      guard let faults, !faults.isEmpty else { continue }
      let names = faults.map { $0.text }.joined(separator: ", ")
      lines.append("\(plan.tests[index].title): \(names) never struck in \(finished[index]) runs")
    }
    if isFlaky {
      for (index, count) in failureCounts.enumerated() where count > 0 {
        lines.append("\(plan.tests[index].title): failed in \(count) of \(finished[index]) runs")
      }
    }
    var counts = tally.text(isRepeated ? "run" : "scenario")
    if isRepeated { counts += ", of \(String(counting: plan.tests.count, "scenario"))" }
    if !refused.isEmpty {
      counts += ", \(String(counting: refused.count, "file")) could not be read"
    }
    lines.append(counts + (elapsed.map { " (\(TraceReport.seconds($0)) s)" } ?? "."))
    return lines.joined(separator: "\n")
  }

  /// Whether scenarios are run more than once.
  private var isRepeated: Bool { plan.runs.count > plan.tests.count }

  private var finishedCounts: [Int] {
    var counts = failureCounts.map { _ in 0 }
    for (run, result) in zip(plan.runs, results) where result.outcome != .ended {
      counts[run.test] += 1
    }
    return counts
  }

  // MARK: Status

  /// The worst of all statuses.
  package var status: ExitStatus {
    let all =
      refused.map(\.status) + results.map(\.status) + unmet.map { _ in ExitStatus.disagree }
    return all.max { $0.rank < $1.rank } ?? .agree
  }
}

// The results as data for programs.
extension SuiteReport {
  /// A JSON object about the run that was taken last.
  package var lastJSON: String {
    guard let result = results.last else { return "" }
    let run = plan.runs[results.count - 1]
    let test = plan.test(run)
    var json = JSONText()
    json.add("file", test.path)
    json.add("scenario", test.scenario.name)
    if isRepeated { json.add("run", run.attempt) }
    if let seed = plan.seed(run) { json.add("seed", .number("\(seed)")) }
    json.add("verdict", result.word)
    json.add("status", Int(result.status.rawValue))
    if case .error(_, let message) = result.outcome { json.add("message", message) }
    json.add("rules", result.ruleCount)
    json.add("seconds", .number(TraceReport.seconds(result.elapsed)))
    json.add("failures", .array(result.failures.map(\.json)))
    if let wrong = result.wrongSpeed { json.add("wrong_speed", wrong) }
    if let note = result.unstruckNote { json.add("unstruck", note) }
    if !result.meant.isEmpty { json.add("meant", .array(result.meant.map { .string($0) })) }
    if let sender = result.sender {
      var object = JSONText()
      object.add("status", Int(sender.status.rawValue))
      object.add("stderr", sender.errors.text)
      json.add("sender", object.value)
    }
    if !result.updated.isEmpty { json.add("updated", .array(result.updated.map { .string($0) })) }
    return json.text
  }

  /// The results for a JUnit report: a suite for each file.
  package var junit: [JUnitText.Suite] {
    var suites: [JUnitText.Suite] = []
    // A class is named after its file without the ending, unless two files differ in it alone.
    let paths = Set(plan.tests.map(\.path))
    var stems: [String: Int] = [:]
    for path in paths { stems[SuiteTest.stem(of: path), default: 0] += 1 }
    for (run, result) in zip(plan.runs, results) {
      let test = plan.test(run)
      if suites.last?.name != test.path {
        suites.append(JUnitText.Suite(name: test.path, cases: []))
      }
      suites[suites.count - 1].cases.append(
        JUnitText.Case(
          className: stems[test.fileStem] == 1 ? test.fileStem : test.path,
          name: test.scenario.name + note(run), elapsed: result.elapsed,
          outcome: result.junit, output: result.output.text))
    }
    for (words, _, failure) in unmet {
      suites.append(
        JUnitText.Suite(
          name: "sentrybench test",
          cases: [
            JUnitText.Case(
              className: "sometimes", name: failure.rule, elapsed: .zero,
              outcome: .failure(message: "\(words): \(failure.rule)", text: failure.text))
          ]))
    }
    for file in refused {
      let line = String(file.message.prefix { $0 != "\n" })
      suites.append(
        JUnitText.Suite(
          name: "sentrybench test",
          cases: [
            // Not named after its mistakes, so that a server sees the same test when they change.
            JUnitText.Case(
              className: "files", name: file.path, elapsed: .zero,
              outcome: .error(
                message: line, text: line == file.message ? "" : file.message))
          ]))
    }
    return suites
  }
}

extension SuiteResult {
  /// Whether it shows nothing about the session.
  fileprivate var isUndecided: Bool {
    switch outcome {
    case .passed, .failed: false
    case .error, .ended: true
    }
  }

  fileprivate var word: String {
    switch outcome {
    case .passed: updated.isEmpty ? "agrees" : "updated"
    case .failed: "disagrees"
    case .error: "error"
    case .ended: "ended"
    }
  }

  fileprivate var junit: JUnitText.Outcome {
    switch outcome {
    case .passed: .passed
    case .ended: .skipped(message: "the suite was ended before the end of this scenario")
    case .error(_, let message): .error(message: message, text: "")
    case .failed(let failures): junit(failures)
    }
  }

  /// What the terminal shows. A sender that failed is an error: then the test itself did not work.
  /// What it printed is in the report anyway.
  private func junit(_ failures: [SuiteFailure]) -> JUnitText.Outcome {
    let sender = failures.filter(\.isOfSender)
    let rules = failures.filter { !$0.isOfSender }
    // A wrong speed explains the rest.
    let lines =
      (wrongSpeed.map { [$0] } ?? []) + (sender + rules).map(\.text) + Misunderstanding.list(meant)
    let message = String(lines.first?.prefix { $0 != "\n" } ?? "")
    let text = lines.joined(separator: "\n")
    return sender.isEmpty
      ? .failure(message: message, text: text) : .error(message: message, text: text)
  }
}

/// Counts the runs of a suite.
struct SuiteTally: Hashable, Sendable {
  var passed = 0
  var failed = 0
  /// Those that could not be judged.
  var errors = 0
  /// Those that were not run, or not to their end.
  var ended = 0

  var total: Int { passed + failed + errors + ended }

  mutating func add(_ outcome: SuiteResult.Outcome) {
    switch outcome {
    case .passed: passed += 1
    case .failed: failed += 1
    case .error: errors += 1
    case .ended: ended += 1
    }
  }

  /// The counts in words: `97 of 100 scenarios pass, 3 fail`. `noun` is what is counted.
  func text(_ noun: String) -> String {
    let all = String(counting: total, noun)
    if passed == total { return "\(all) \(total == 1 ? "passes" : "pass")" }
    let verb = passed == 1 || total == 1 ? "passes" : "pass"
    var parts = ["\(passed) of \(all) \(verb)"]
    if failed > 0 { parts.append("\(failed) fail\(failed == 1 ? "s" : "")") }
    if errors > 0 { parts.append("\(errors) could not be judged") }
    if ended > 0 { parts.append("\(ended) not run to the end") }
    return parts.joined(separator: ", ")
  }
}
