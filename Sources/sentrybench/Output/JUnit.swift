/// A JUnit report, as CI servers read it: a test case a trace.
enum JUnit {
  static func report(_ reports: [TraceReport], in elapsed: Duration) -> String {
    let failures = reports.count { $0.status == .disagree }
    let errors = reports.count { $0.failure != nil }
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    text += "<testsuites>\n"
    text += "  <testsuite name=\"sentrybench verify\" tests=\"\(reports.count)\" "
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

  /// Text for an attribute or an element. What XML 1.0 cannot hold is replaced.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", "\r": result += scalar == "\n" ? "\n" : " "
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
