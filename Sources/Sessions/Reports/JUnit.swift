import Pictures
import Verification

/// A JUnit report for CI servers, with a test case for each trace or live session.
package enum JUnit {
  package static func report(
    _ reports: [TraceReport], of command: String, in elapsed: Duration
  ) -> String {
    let problems = reports.map(problem)
    let failures = problems.count { $0?.isError == false }
    let errors = problems.count { $0?.isError == true }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites>\n"
    text += "  <testsuite name=\"sentrybench \(command)\" tests=\"\(reports.count)\" "
    text += "failures=\"\(failures)\" errors=\"\(errors)\" "
    text += "time=\"\(TraceReport.seconds(elapsed))\">\n"
    for (report, problem) in zip(reports, problems) {
      let className = report.scenario?.className ?? "traces"
      let name = report.scenario?.testName ?? report.path
      text += "    <testcase classname=\"\(escaped(className))\" name=\"\(escaped(name))\" "
      text += "time=\"\(TraceReport.seconds(report.elapsed))\""
      if let problem {
        let element = problem.isError ? "error" : "failure"
        text += ">\n      <\(element) message=\"\(escaped(problem.message))\""
        text += problem.text.isEmpty ? "/>" : ">\(escaped(problem.text))</\(element)>"
        text += "\n    </testcase>\n"
      } else {
        text += "/>\n"
      }
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  /// A disagreement is a failure. Anything else is an error: then the test itself did not work.
  private struct Problem {
    var isError: Bool
    /// One line.
    var message: String
    /// The details; empty if the message contains everything.
    var text: String
  }

  /// Returns what is wrong with a trace or a session; nil if nothing is.
  private static func problem(_ report: TraceReport) -> Problem? {
    let verdict = report.text(isVerbose: false)
    let errors = report.status == .agree ? nil : report.sender?.errorsText
    let text = [verdict, errors].compactMap { $0 }.joined(separator: "\n\n")
    if let failure = report.failure {
      return Problem(isError: true, message: failure.message, text: text)
    }
    guard report.status == .disagree, let verdict else { return nil }
    return Problem(isError: false, message: String(verdict.prefix { $0 != "\n" }), text: text)
  }

  private static func escaped(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { XMLText.escaped(String($0)) }.joined(separator: "\n")
  }
}
