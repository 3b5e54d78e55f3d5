/// A session in a report: its verdict and, if it is shown in more detail, everything else.
package struct ReportEntry: Sendable {
  /// The name of the trace or scenario.
  package var name: String
  package var verdict: ReportVerdict
  package var report: SessionReport?

  package init(_ name: String, _ verdict: ReportVerdict, _ report: SessionReport? = nil) {
    self.name = name
    self.verdict = verdict
    self.report = report
  }

  /// Whether there is more to show than the index contains.
  var hasSection: Bool { report != nil || verdict.tone != .good }
  var title: String { report?.session.title.flatMap { $0.isEmpty ? nil : $0 } ?? name }
}
