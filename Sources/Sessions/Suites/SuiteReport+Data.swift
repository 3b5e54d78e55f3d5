import Engine
import Traces
import Verification

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
    if plan.runs.count > plan.tests.count { json.add("run", run.attempt) }
    json.add("verdict", result.word)
    json.add("status", Int(result.status.rawValue))
    if case .error(_, let message) = result.outcome { json.add("message", message) }
    json.add("rules", result.ruleCount)
    json.add("seconds", .number(TraceReport.seconds(result.elapsed)))
    json.add("failures", .array(result.failures.map(\.json)))
    if let wrong = result.wrongSpeed { json.add("wrong_speed", wrong) }
    if !result.meant.isEmpty { json.add("meant", .array(result.meant.map { .string($0) })) }
    if let sender = result.sender {
      var object = JSONText()
      if let status = sender.status { object.add("status", status) }
      if let signal = sender.signal { object.add("signal", signal) }
      object.add("stderr", sender.standardError)
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
      let name = plan.runs.count > plan.tests.count ? " (run \(run.attempt))" : ""
      suites[suites.count - 1].cases.append(
        JUnitText.Case(
          className: stems[test.fileStem] == 1 ? test.fileStem : test.path,
          name: test.scenario.name + name, elapsed: result.elapsed,
          outcome: result.junit, output: result.output.text))
    }
    for failure in refused {
      suites.append(
        JUnitText.Suite(
          name: "sentrybench test",
          cases: [
            JUnitText.Case(
              className: "files", name: failure.message, elapsed: .zero,
              outcome: .error(message: failure.message, text: ""))
          ]))
    }
    return suites
  }
}

extension SuiteResult {
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
