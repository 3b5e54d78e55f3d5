import Sketches
import Traces

/// Pairs up two sequences that have diverged, for the report only. Finds the longest common
/// subsequence of the values, one window at a time so that its cost stays bounded.
struct Aligner: Sendable {
  private static let window = 512

  private let tolerance: Interval
  private var expected: [Event] = []
  private var found: [Event] = []
  private(set) var tally = Tally()
  /// The largest deviation of a matched pair.
  private(set) var worst = Interval.zero
  private var sweep = SweepMeter()

  init(tolerance: Interval) { self.tolerance = tolerance }

  /// How a sweep drifts; nil if it does not, or if no pair is outside the tolerance.
  var drift: SweepDrift? { tally.moved > 0 ? sweep.drift : nil }

  mutating func expect(_ event: Event) {
    expected.append(event)
    if expected.count >= Self.window { align(isLast: false) }
  }

  mutating func find(_ event: Event) {
    found.append(event)
    if found.count >= Self.window { align(isLast: false) }
  }

  /// Aligns the remaining events, except those that can be missing because the session ended.
  mutating func finish(isExcused: (Event) -> Bool) {
    while let last = expected.last, isExcused(last), expected.count > found.count {
      expected.removeLast()
    }
    while let last = found.last, isExcused(last), found.count > expected.count {
      found.removeLast()
    }
    align(isLast: true)
  }

  private mutating func align(isLast: Bool) {
    let pairs = longestCommonSubsequence()
    var expectedDone = expected.count
    var foundDone = found.count
    var kept = pairs[...]
    if !isLast {
      // An event near the end of the window can match one in the next window.
      kept = pairs.prefix { $0.0 < Self.window * 3 / 4 && $0.1 < Self.window * 3 / 4 }
      if let last = kept.last {
        (expectedDone, foundDone) = (last.0 + 1, last.1 + 1)
      } else if let first = pairs.first {
        (expectedDone, foundDone) = first
      } else {
        expectedDone = expected.count >= Self.window ? Self.window / 2 : 0
        foundDone = found.count >= Self.window ? Self.window / 2 : 0
      }
    }
    var next = (0, 0)
    for (e, f) in kept {
      if next != (e, f) { sweep.skip() }
      sweep.take(expected[e], found[f])
      next = (e + 1, f + 1)
      let off = (found[f].time - expected[e].time).magnitude
      if off <= tolerance {
        tally.matched += 1
        worst = max(worst, off)
      } else {
        tally.moved += 1
      }
    }
    if next != (expectedDone, foundDone) { sweep.skip() }
    tally.missing += expectedDone - kept.count
    tally.extra += foundDone - kept.count
    expected.removeFirst(expectedDone)
    found.removeFirst(foundDone)
  }

  private func longestCommonSubsequence() -> [(Int, Int)] {
    let (wanted, given) = (expected.map { $0.output }, found.map { $0.output })
    let (rows, columns) = (wanted.count, given.count)
    guard rows > 0, columns > 0 else { return [] }
    func isSame(_ row: Int, _ column: Int) -> Bool {
      guard let wanted = wanted[row], let given = given[column] else { return false }
      return wanted.matches(given)
    }
    let width = columns + 1
    var lengths = [UInt16](repeating: 0, count: (rows + 1) * width)
    for row in stride(from: rows - 1, through: 0, by: -1) {
      for column in stride(from: columns - 1, through: 0, by: -1) {
        let here = row * width + column
        lengths[here] =
          isSame(row, column)
          ? lengths[here + width + 1] + 1 : max(lengths[here + width], lengths[here + 1])
      }
    }
    var pairs: [(Int, Int)] = []
    var (row, column) = (0, 0)
    while row < rows, column < columns {
      let here = row * width + column
      if isSame(row, column) {
        pairs.append((row, column))
        row += 1
        column += 1
      } else if lengths[here + width] >= lengths[here + 1] {
        row += 1
      } else {
        column += 1
      }
    }
    return pairs
  }
}

/// The numbers of outputs in which a trace and a device agree and differ.
package struct Tally: Hashable, Sendable {
  /// Same value, within the tolerance.
  package var matched = 0
  /// Same value, outside the tolerance.
  package var moved = 0
  /// Expected, not found.
  package var missing = 0
  /// Found, not expected.
  package var extra = 0

  package init(matched: Int = 0, moved: Int = 0, missing: Int = 0, extra: Int = 0) {
    self.matched = matched
    self.moved = moved
    self.missing = missing
    self.extra = extra
  }

  package var text: String {
    "\(matched) matched, \(moved) moved, \(missing) missing, \(extra) extra"
  }

  package static func + (a: Tally, b: Tally) -> Tally {
    Tally(
      matched: a.matched + b.matched, moved: a.moved + b.moved, missing: a.missing + b.missing,
      extra: a.extra + b.extra)
  }
}
