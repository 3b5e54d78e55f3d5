package import Pictures
import Traces
import Verification

extension TraceReport {
  /// The verdict as a page shows it.
  package var pageVerdict: ReportVerdict {
    if let failure {
      // A page shows what the terminal does, also of a session whose sender failed.
      var verdict = ReportVerdict(.open, "not judged", failure.message)
      if sender?.hasFailed == true { verdict = ReportVerdict(.bad, "failed", failure.message) }
      if let text = text(isVerbose: false) { verdict.text = text }
      return verdict
    }
    if update != nil {
      return ReportVerdict(.good, "updated", "The trace now contains what the device did.")
    }
    if let sender, sender.hasFailed { return ReportVerdict(.bad, "failed", sender.sentence) }
    let compared = isOnlyRuled ? nil : verdict.map { ReportVerdict($0) }
    if let fault {
      var misread = ReportVerdict(fault, .all)
      misread.divergence = compared?.divergence
      if let compared { misread.details = [compared.sentence] + compared.details }
      return misread
    }
    guard let rules else {
      return compared
        ?? ReportVerdict(.open, "not judged", "The session is shown as it was; nothing judged it.")
    }
    let count = String(counting: rules.rules.count, "rule")
    if rules.holds {
      return compared
        ?? ReportVerdict(.good, "holds", "The session meets all requirements: \(count).")
    }
    var failed = ReportVerdict(.bad, "fails", "\(rules.failures.count) of \(count) failed.")
    failed.text = rules.text
    failed.divergence = compared?.divergence
    if let compared { failed.details = [compared.sentence] + compared.details }
    return failed
  }
}
