import Traces
import Turret

/// What was sent in a live session, compared with what was sent in its trace.
struct SenderComparison {
  let gaps: GapComparison
  private let bytes: ByteDifference?
  private let gapMax: Interval?
  /// When each byte of the session had arrived.
  private let arrivals: [Instant]

  /// Compares the bytes, and the gaps between them up to the first byte that differs.
  /// `beginsCommand` returns whether a byte of the trace, counted from 0, begins a command.
  /// `gapMax` is as in ``LiveJudge``.
  init(
    expected: (bytes: [UInt8], arrivals: [Instant]), found: (bytes: [UInt8], arrivals: [Instant]),
    beginsCommand: (Int) -> Bool, gapMax: Interval?
  ) {
    let same = zip(expected.bytes, found.bytes).prefix { $0 == $1 }.count
    gaps = GapComparison(
      expected.bytes[..<same], expected: expected.arrivals[..<same],
      found: found.arrivals[..<same], beginsCommand: beginsCommand, limit: gapMax)
    bytes = ByteDifference(expected: expected.bytes, found: found.bytes)
    self.gapMax = gapMax
    arrivals = found.arrivals
  }

  /// Returns the first divergence in what was sent or refused in a session that ended at `end`.
  /// `line` returns the trace's line of a byte.
  func divergence(
    _ refusals: RefusalComparison, end: Instant, tolerance: Interval, lastLine: Int,
    line: (Int) -> Int
  ) -> Divergence? {
    func time(_ byte: Int) -> Instant {
      (byte < arrivals.count ? min(end, arrivals[byte]) : end).roundedUpToMicrosecond
    }
    var first = bytes.map {
      Divergence($0, at: time($0.position), line: line($0.position), tolerance: tolerance)
    }
    var others: [Divergence] = []
    if let gap = gaps.first, let gapMax {
      others.append(
        Divergence(gap, at: time(gap.position), line: line(gap.position), tolerance: gapMax))
    }
    if let refusal = refusals.difference {
      others.append(Divergence(refusal, endingAt: end, line: lastLine, tolerance: tolerance))
    }
    for other in others where other.time < first?.time ?? .distantFuture { first = other }
    return first
  }
}
