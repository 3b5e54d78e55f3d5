import Devices
import Pictures
import Traces

/// The page about the scenarios of a suite that failed.
package struct SuitePage {
  /// The maximum number of failures that a page lists.
  private static let failuresMax = 500

  private var failures: [(title: String, verdict: ReportVerdict, trace: [UInt8]?)] = []
  private var count = 0

  package init() {}

  /// Takes a run that failed.
  package mutating func add(_ result: SuiteResult, _ title: String) {
    count += 1
    guard failures.count < Self.failuresMax else { return }
    let text = SuiteReport.text(result, title, isVerbose: false) ?? ""
    var verdict: ReportVerdict
    if case .error(_, let message) = result.outcome {
      verdict = ReportVerdict(.open, "not judged", message)
    } else {
      let first = result.failures.first
      // The first line has the place, and what was required.
      let line = first.map { $0.text.prefix { $0 != "\n" } } ?? "The scenario failed."
      let others = max(0, result.failures.count - 1)
      verdict = ReportVerdict(
        .bad, "failed", others == 0 ? "\(line)" : "\(line), and \(others) more")
      verdict.text = text
    }
    // Only the first ones are shown with their traces, to keep the page small.
    let isShown = failures.count < ReportFile.shownMax
    failures.append((title, verdict, isShown ? result.trace : nil))
  }

  /// Writes the page; `summary` is the suite's counts in lines.
  package func write(to file: ReportFile, summary: String) throws(Failure) {
    var entries: [ReportEntry] = []
    for failure in failures {
      var entry = ReportEntry(failure.title, failure.verdict)
      do {
        entry.report = try failure.trace.map { try file.session($0, named: failure.title) }
      } catch let error as TraceError {
        // The failure matters more than its picture.
        entry.verdict.details.append("The session cannot be shown: \(error.description).")
      } catch {
        entry.verdict.details.append("The session cannot be shown.")
      }
      entries.append(entry)
    }
    var text = summary.split(separator: "\n").joined(separator: " ")
    if count > failures.count { text += " This page lists the first \(failures.count) failures." }
    try file.write(
      entries, heading: count == 0 ? "No scenario failed" : "Scenarios that failed", summary: text)
  }
}
