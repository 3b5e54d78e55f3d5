package import Traces
package import Turret

/// Judges a live session, whose sender has a timing of its own, by a trace.
///
/// - The bytes that reach the board must be the trace's, however they were cut into pieces.
/// - Each output must be the trace's too, in its order, and as long after its cause, give or take
///   the tolerance. A byte causes what follows from it when the sketch takes it: what a start-up, a
///   step of a sweep or a tone keeps waiting is not late. When it is taken, the model says.
/// - A sweep may have other steps than in the trace as far as the sender let it run for another
///   time, or as it began elsewhere. Steps that the trace has no counterpart for must be the
///   firmware's own sweep.
/// - The end of a tone is timed from its start, and is not there where the sender replaced the
///   tone.
/// - What the trace ends too early to show is not held against the session.
/// - Pulses are not compared: their phase is the board's own. Nor are the lines of `V`, which carry
///   the board's clock, nor the angle of a sweep in an answer to `?`.
///
/// Where the sender's timing makes the board do anything else (a number times out, a purge throws
/// a command away, the ring overflows) outputs differ, and the session does not agree.
///
/// Both sides are kept in memory until the session is over.
package struct LiveJudge: Sendable {
  package static let defaultTolerance = Interval.milliseconds(20)
  /// How many of a session's outputs are looked at, some 16 hours of a sweep.
  package static let outputCountMax = 1 << 22
  /// A board that does not stop is seen by then.
  private static let watch = Interval.milliseconds(60)
  private static let glance = Interval.milliseconds(10)
  /// Longer than that nothing in a full ring keeps the sketch.
  private static let settleMax = Interval.seconds(15)

  private let traced: TracedSession
  private let tolerance: Interval
  private let kinds: Set<Output.Kind>
  private let start: Header.Start
  private var course: Course
  private var outputs: [Event] = []
  private var isTooLong = false
  /// Why there is nothing to judge, known before the session begins.
  package private(set) var refusal: Verdict?

  /// Reads the trace to its end. `observes`: what the live device shows. `start`: whether the live
  /// session begins with the board's reset. `baud`: the live board's speed, nil for the trace's.
  /// `tolerance`: nil for 20 ms. `timing`: the figures of the build that is judged, and whose
  /// sessions the trace is to show; nil: those that were measured.
  package init(
    expected: inout TraceReader, firmware: Firmware, observes: Set<Output.Kind>,
    tolerance: Interval?, start: Header.Start = .reset, baud: Int? = nil, timing: Timing? = nil
  ) throws(TraceError) {
    traced = try TracedSession(&expected, firmware: firmware, timing: timing)
    self.tolerance = tolerance ?? Self.defaultTolerance
    self.start = start
    course = Course(
      firmware, timing: timing, baud: baud ?? traced.header.baud, start: start)
    let wanted = traced.header.expects ?? traced.kinds
    var kinds = wanted.filter { $0.isJudgedLive }
    if start == .unknown || traced.header.start == .unknown { kinds.remove(.transmit) }
    self.kinds = kinds
    refusal = refuse(wanted, observes)
  }

  private func refuse(_ wanted: Set<Output.Kind>, _ observes: Set<Output.Kind>) -> Verdict? {
    if !wanted.isSubset(of: observes) {
      return Verdict(.cannotObserve(wanted.subtracting(observes)))
    }
    if wanted.isEmpty, traced.causes.bytes.isEmpty {
      return Verdict(
        .nothingToCompare("it has no bytes and no outputs, and no \"expects\" that says so"))
    }
    if !wanted.isEmpty, kinds.isEmpty {
      return Verdict(
        .nothingToCompare(
          "it expects only what is not compared in a live session: pulses, or replies of a board "
            + "that was already running"))
    }
    if kinds == [.transmit], traced.replies.isEmpty, traced.reportsWrites {
      return Verdict(
        .nothingToCompare("it expects only lines of V, whose clock is the session's own"))
    }
    if needsFix, traced.fix == nil, !wanted.isEmpty {
      return Verdict(
        .nothingToCompare(
          "the board was already running and no aim or reset fixes what state it was in"))
    }
    return nil
  }

  private var needsFix: Bool { start == .unknown || traced.header.start == .unknown }

  /// The next event of the live session: bytes with the start bit of the first, resets, outputs, in
  /// order of time.
  package mutating func take(_ event: Event) {
    course.take(event)
    guard let kind = event.output?.kind, kinds.contains(kind) else { return }
    if outputs.count < Self.outputCountMax { outputs.append(event) } else { isTooLong = true }
  }

  /// Until when a session whose sender has nothing more to say at `now` must go on for the last
  /// outputs to be seen.
  package func settles(from now: Instant) -> Instant {
    let base = traced.base(traced.lastCause)
    let tail = max(traced.end - base, .zero) + tolerance
    let last = max(traced.lastOutput - base, .zero) + tolerance + tolerance + Self.watch
    var course = course
    course.advance(to: now)
    let count = course.allBytes().count
    var time = now
    while !course.hasTaken(count), time < now + Self.settleMax {
      time += Self.glance
      course.advance(to: time)
    }
    let cause = Causes(course).time(of: traced.lastCause) ?? .zero
    return max(now, cause + min(last, tail))
  }

  /// The session ended.
  package mutating func finish(at end: Instant) -> Verdict {
    if let refusal { return refusal }
    guard !isTooLong else {
      return Verdict(
        .nothingToCompare("the session had more than \(Self.outputCountMax) outputs to compare"))
    }
    course.advance(to: end)
    let live = Causes(course)
    var differing = byteDivergence(live, end)
    var comparison = LiveComparison(
      traced, kinds: kinds, tolerance: tolerance, fix: needsFix ? traced.fix : nil)
    // Once other bytes came nothing can be said of what follows.
    comparison.compare(live, outputs, until: min(end, differing?.time ?? end), end: end)
    if let bytes = differing, let expected = bytes.expected, let found = bytes.found {
      differing?.traced = comparison.latest.traced + [.init(expected.event, line: expected.line)]
      differing?.done = comparison.latest.done + [.init(found, line: nil)]
    }
    let outcome =
      (comparison.divergence ?? differing).map(Verdict.Outcome.diverges) ?? .agrees
    let verdict = Verdict(
      outcome, tally: comparison.tally, worst: comparison.worst, fit: traced.fit)
    if verdict.agrees, verdict.tally.matched == 0, !traced.kinds.isDisjoint(with: kinds) {
      return Verdict(
        .nothingToCompare(
          "none of its outputs lies further than one tolerance from the session's end"))
    }
    return verdict
  }

  private func byteDivergence(_ live: Causes, _ end: Instant) -> Divergence? {
    guard
      let difference = ByteDifference(
        expected: traced.causes.bytes.map { $0.byte }, found: live.bytes.map { $0.byte })
    else { return nil }
    let index = difference.position
    let time = index < live.bytes.count ? min(end, live.bytes[index].arrived) : end
    return Divergence(
      difference, at: time.roundedUpToMicrosecond, line: traced.line(index), tolerance: tolerance)
  }
}
