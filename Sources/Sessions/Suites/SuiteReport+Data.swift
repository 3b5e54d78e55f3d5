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
    for (run, result) in zip(plan.runs, results) {
      let test = plan.test(run)
      if suites.last?.name != test.path {
        suites.append(JUnitText.Suite(name: test.path, cases: []))
      }
      let name = plan.runs.count > plan.tests.count ? " (run \(run.attempt))" : ""
      suites[suites.count - 1].cases.append(
        JUnitText.Case(
          className: test.fileStem, name: test.scenario.name + name, elapsed: result.elapsed,
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
    case .failed(let failures):
      .failure(
        message: wrongSpeed ?? String(failures.first?.text.prefix { $0 != "\n" } ?? ""),
        text: ((wrongSpeed.map { [$0] } ?? []) + failures.map(\.text)).joined(separator: "\n"))
    }
  }
}
