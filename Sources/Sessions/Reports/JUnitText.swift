import Engine
import Pictures
import Sketches

/// Writes JUnit reports, which CI servers read.
package enum JUnitText {
  package enum Outcome: Hashable, Sendable {
    case passed
    /// What is wrong, in one line and in full. `text` is empty if the line says everything.
    case failure(message: String, text: String)
    /// Why the test itself did not work.
    case error(message: String, text: String)
    case skipped(message: String)
  }

  package struct Case: Hashable, Sendable {
    var className: String
    var name: String
    var elapsed: Duration
    var outcome: Outcome
    /// What was printed meanwhile; empty for nothing.
    var output = ""
  }

  package struct Suite: Hashable, Sendable {
    var name: String
    var cases: [Case]
    /// How long all of it took; nil for the sum of the cases.
    var elapsed: Duration?
  }

  package static func text(of suites: [Suite]) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    for suite in suites { append(suite, to: &text) }
    return text + "</testsuites>\n"
  }

  private static func append(_ suite: Suite, to text: inout String) {
    var (failures, errors, skipped, sum) = (0, 0, 0, Duration.zero)
    for test in suite.cases {
      switch test.outcome {
      case .passed: break
      case .failure: failures += 1
      case .error: errors += 1
      case .skipped: skipped += 1
      }
      sum += test.elapsed
    }
    text += "  <testsuite name=\"\(escaped(suite.name))\" tests=\"\(suite.cases.count)\" "
    text += "failures=\"\(failures)\" errors=\"\(errors)\" "
    if skipped > 0 { text += "skipped=\"\(skipped)\" " }
    text += "time=\"\(TraceReport.seconds(suite.elapsed ?? sum))\">\n"
    for test in suite.cases { append(test, to: &text) }
    text += "  </testsuite>\n"
  }

  private static func append(_ test: Case, to text: inout String) {
    text += "    <testcase classname=\"\(escaped(test.className))\" name=\"\(escaped(test.name))\" "
    text += "time=\"\(TraceReport.seconds(test.elapsed))\""
    var elements =
      switch test.outcome {
      case .passed: [String]()
      case .failure(let message, let text): [element("failure", message, text)]
      case .error(let message, let text): [element("error", message, text)]
      case .skipped(let message): [element("skipped", message, "")]
      }
    if !test.output.isEmpty {
      elements.append("<system-err>\(escaped(test.output))</system-err>")
    }
    if elements.isEmpty {
      text += "/>\n"
    } else {
      text += ">\n" + elements.map { "      \($0)\n" }.joined() + "    </testcase>\n"
    }
  }

  private static func element(_ name: String, _ message: String, _ text: String) -> String {
    "<\(name) message=\"\(escaped(message))\""
      + (text.isEmpty ? "/>" : ">\(escaped(text))</\(name)>")
  }

  private static func escaped(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { XMLText.escaped(String($0)) }.joined(separator: "\n")
  }
}

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
