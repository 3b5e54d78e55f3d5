package import Traces
package import Turret

/// Compares what a trace expects with what a device does, as both come, in bounded memory.
///
/// Each kind of output is compared index by index: same value, time within the tolerance.
package struct Comparison: Judge {
  /// How many lines of the trace and of the device after a divergence its report shows at most.
  private static let followingCount = 4
  /// How much of a kind that the trace has not yet expected is kept: only the first matters.
  private static let undecidedCountMax = 1_024

  private let tolerance: Interval
  private var lanes: [Lane]
  /// The first divergence by time, and the neighbourhood so far.
  package private(set) var divergence: Divergence?
  package private(set) var hasDiverged = false
  private var worstBeforeParting = Interval.zero
  private var traced = Neighbourhood()
  private var done = Neighbourhood()
  /// How many lines of the trace the report of the divergence still waits for.
  private var following = 0
  /// How many of the device's outputs it has room for.
  private var followingDone = 0

  /// `kinds`: what is compared; nil: each kind from when the trace first expects it, but for those
  /// that are ignored.
  package init(
    kinds: Set<Output.Kind>?, ignoring ignored: Set<Output.Kind> = [], tolerance: Interval
  ) {
    self.tolerance = tolerance
    lanes = Output.Kind.allCases.map { kind in
      if let kinds { return Lane(status: kinds.contains(kind) ? .compared : .ignored) }
      return Lane(status: ignored.contains(kind) ? .ignored : .undecided)
    }
  }

  /// The next event of the trace, whatever it is.
  package mutating func expect(_ event: Event, line: Int) {
    traced.append(Divergence.Neighbour(event, line: line))
    if following > 0 {
      following -= 1
      if following == 0 { keepNeighbourhood() }
    }
    guard case .output(let output) = event.kind else { return }
    let kind = output.kind.rawValue
    if lanes[kind].status == .undecided { lanes[kind].status = .compared }
    guard lanes[kind].status == .compared else { return }
    if lanes[kind].aligner != nil {
      lanes[kind].aligner?.expect(event)
    } else if lanes[kind].found.isEmpty {
      lanes[kind].expected.append(Expectation(event, line: line))
    } else {
      compare(Expectation(event, line: line), lanes[kind].found.removeFirst(), kind)
    }
  }

  /// The next output of the device.
  package mutating func find(_ event: Event) {
    guard case .output(let output) = event.kind else { return }
    let kind = output.kind.rawValue
    guard lanes[kind].status != .ignored else { return }
    if lanes[kind].status == .compared { remember(event) }
    if lanes[kind].aligner != nil {
      lanes[kind].aligner?.find(event)
    } else if !lanes[kind].expected.isEmpty {
      compare(lanes[kind].expected.removeFirst(), event, kind)
    } else if lanes[kind].status == .compared
      || lanes[kind].found.waiting.count < Self.undecidedCountMax
    {
      lanes[kind].found.append(event)
    }
  }

  /// Both sides are complete up to `instant`: what waits for a partner longer than the tolerance
  /// has none. `line` is where the trace is.
  package mutating func settle(before instant: Instant, line: Int) {
    let deadline = instant - tolerance
    for kind in lanes.indices where lanes[kind].status == .compared && lanes[kind].aligner == nil {
      if let first = lanes[kind].expected.first, first.event.time < deadline {
        _ = lanes[kind].expected.removeFirst()
        part(.missing, expected: first, found: nil, line: first.line, kind)
      } else if let first = lanes[kind].found.first, first.time < deadline {
        _ = lanes[kind].found.removeFirst()
        part(.extra, expected: nil, found: first, line: line, kind)
      }
    }
  }

  /// The session ended: what is within one tolerance of `end` may be missing on the other side.
  package mutating func finish(at end: Instant, line: Int) {
    func isExcused(_ event: Event) -> Bool { (event.time - end).magnitude <= tolerance }
    for kind in lanes.indices where lanes[kind].status == .compared {
      if lanes[kind].aligner == nil {
        if let first = lanes[kind].expected.first, !isExcused(first.event) {
          _ = lanes[kind].expected.removeFirst()
          part(.missing, expected: first, found: nil, line: first.line, kind)
        } else if let first = lanes[kind].found.first, !isExcused(first) {
          _ = lanes[kind].found.removeFirst()
          part(.extra, expected: nil, found: first, line: line, kind)
        }
      }
      lanes[kind].aligner?.finish(isExcused: isExcused)
    }
    if following > 0 { keepNeighbourhood() }
  }

  /// How the two sides go together.
  package var tally: Tally {
    lanes.reduce(Tally()) { sum, lane in
      sum + Tally(matched: lane.matched) + (lane.aligner?.tally ?? Tally())
    }
  }

  /// How far off those are that matched, at most.
  package var worst: Interval {
    lanes.compactMap { $0.aligner?.worst }.reduce(worstBeforeParting, max)
  }

  /// The times are the board's own.
  package var fit: ClockFit? { nil }

  /// The last few events of both sides.
  package var latest: (traced: [Divergence.Neighbour], done: [Divergence.Neighbour]) {
    (traced.inOrder, done.inOrder)
  }

  // MARK: -

  @inline(__always)
  private mutating func compare(_ expected: Expectation, _ found: Event, _ kind: Int) {
    if let wanted = expected.event.output, let output = found.output, wanted.matches(output) {
      let off = (found.time - expected.event.time).magnitude
      if off <= tolerance {
        lanes[kind].matched += 1
        if off > worstBeforeParting { worstBeforeParting = off }
      } else {
        part(.time, expected: expected, found: found, line: expected.line, kind)
      }
    } else if found.time < expected.event.time - tolerance {
      part(.extra, expected: expected, found: found, line: expected.line, kind)
    } else if expected.event.time < found.time - tolerance {
      part(.missing, expected: expected, found: found, line: expected.line, kind)
    } else {
      part(.value, expected: expected, found: found, line: expected.line, kind)
    }
  }

  /// The sequences of a kind part here. From here on they are only aligned.
  private mutating func part(
    _ difference: Divergence.Difference, expected: Expectation?, found: Event?, line: Int,
    _ kind: Int
  ) {
    var aligner = Aligner(tolerance: tolerance)
    if let expected { aligner.expect(expected.event) }
    if let found { aligner.find(found) }
    while !lanes[kind].expected.isEmpty {
      aligner.expect(lanes[kind].expected.removeFirst().event)
    }
    while !lanes[kind].found.isEmpty { aligner.find(lanes[kind].found.removeFirst()) }
    lanes[kind].aligner = aligner

    let new = Divergence(
      difference, expected: difference == .extra ? nil : expected,
      found: difference == .missing ? nil : found, line: line, tolerance: tolerance)
    if let first = divergence, first.time <= new.time { return }
    divergence = new
    hasDiverged = true
    following = Self.followingCount
    followingDone = Self.followingCount
  }

  @inline(__always)
  private mutating func remember(_ found: Event) {
    if hasDiverged, let divergence, found.time > divergence.time {
      guard followingDone > 0 else { return }
      followingDone -= 1
    }
    done.append(Divergence.Neighbour(found, line: nil))
  }

  private mutating func keepNeighbourhood() {
    divergence?.traced = traced.inOrder
    divergence?.done = done.inOrder
  }
}
