import Pictures

/// A JUnit report for CI servers, with a test case for each trace.
package enum JUnit {
  package static func report(
    _ reports: [TraceReport], of command: String, in elapsed: Duration
  ) -> String {
    let failures = reports.count { $0.status == .disagree }
    let errors = reports.count { $0.failure != nil }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites>\n"
    text += "  <testsuite name=\"sentrybench \(command)\" tests=\"\(reports.count)\" "
    text += "failures=\"\(failures)\" errors=\"\(errors)\" "
    text += "time=\"\(TraceReport.seconds(elapsed))\">\n"
    for report in reports {
      text += "    <testcase classname=\"traces\" name=\"\(escaped(report.path))\" "
      text += "time=\"\(TraceReport.seconds(report.elapsed))\""
      if let failure = report.failure {
        text += ">\n      <error message=\"\(escaped(failure.message))\"/>\n    </testcase>\n"
      } else if report.status == .disagree, let message = report.text(isVerbose: false) {
        let first = message.prefix { $0 != "\n" }
        text += ">\n      <failure message=\"\(escaped(String(first)))\">"
        text += "\(escaped(message))</failure>\n    </testcase>\n"
      } else {
        text += "/>\n"
      }
    }
    return text + "  </testsuite>\n</testsuites>\n"
  }

  private static func escaped(_ text: String) -> String {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { XMLText.escaped(String($0)) }.joined(separator: "\n")
  }
}
