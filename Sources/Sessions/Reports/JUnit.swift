import Engine
import Turret

/// A JUnit report for CI servers, with a test case for each trace or live session.
package enum JUnit {
  package static func report(
    _ reports: [TraceReport], of command: String, in elapsed: Duration
  ) -> String {
    let cases = reports.map { report in
      JUnitText.Case(
        className: report.scenario?.className ?? "traces",
        name: report.scenario?.testName ?? report.path, elapsed: report.elapsed,
        outcome: outcome(report))
    }
    return JUnitText.text(
      of: [JUnitText.Suite(name: "sentrybench \(command)", cases: cases, elapsed: elapsed)])
  }

  /// The sender's wrong speed comes first, since it explains most of the rest. A disagreement is a
  /// failure. Anything else is an error: then the test itself did not work.
  private static func outcome(_ report: TraceReport) -> JUnitText.Outcome {
    let verdict = report.text(isVerbose: false)
    let errors = report.status == .agree ? nil : report.sender?.errorsText
    let speed = report.wrongSpeed?.text
    // The report of rules names it too.
    let first = verdict.flatMap { text in speed.map { text.hasPrefix($0) } } == true ? nil : speed
    let text = [first, verdict, errors].compactMap { $0 }.joined(separator: "\n\n")
    if let failure = report.failure {
      return .error(
        message: speed.map { "\($0): \(failure.message)" } ?? failure.message, text: text)
    }
    guard report.status == .disagree, let verdict else { return .passed }
    return .failure(message: speed ?? String(verdict.prefix { $0 != "\n" }), text: text)
  }
}
