import Traces
import Turret

extension Verdict {
  /// The verdict on a live session. `differing` is the first difference in what was sent, after
  /// which nothing was compared.
  init(
    _ comparison: Comparison, _ differing: Divergence?, _ sent: SenderComparison,
    _ refusals: RefusalComparison, fit: ClockFit? = nil
  ) {
    var differing = differing
    if let expected = differing?.expected {
      differing?.traced = comparison.latest.traced + [.init(expected.event, line: expected.line)]
    }
    if let found = differing?.found {
      differing?.done = comparison.latest.done + [.init(found, line: nil)]
    }
    let outcome = (comparison.divergence ?? differing).map(Outcome.diverges) ?? .agrees
    self.init(outcome, tally: comparison.tally, worst: comparison.worst, fit: fit)
    largestGap = sent.gaps.largest
    replaced = refusals.replaced
    merged = refusals.merged
  }

  /// The verdict on a session with more outputs than can be kept.
  static let tooLong = Verdict(
    .nothingToCompare("the session had more than \(LiveJudge.outputCountMax) outputs to compare"))
  /// The verdict for a trace from which nothing follows.
  static let emptyTrace = Verdict(
    .nothingToCompare("it has no bytes and no outputs, and no \"expects\" that says so"))
  static let nothingInTime = Verdict(
    .nothingToCompare("all its outputs are within one tolerance of the session's end"))
}
