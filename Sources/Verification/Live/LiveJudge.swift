package import Traces
package import Turret

/// Judges a live session by a trace, allowing for the sender's own timing.
///
/// - The bytes that reach the board must be the trace's, however they were split.
/// - The gaps between the bytes must be the trace's only if that was requested.
/// - The network's refusals must be the trace's too. Commands that were replaced or merged are only
///   counted, because their number depends on the sender's timing.
/// - The outputs must be the trace's too, in its order, each as long after its cause as in the
///   trace, within the tolerance. A byte causes its effects when the sketch takes it, so a byte
///   that waits for a start-up, a step of a sweep or a tone is not late. The model determines when
///   it is taken.
/// - A sweep can have other steps than in the trace if it ran for a different time or began at
///   another angle. Steps without a counterpart in the trace must be those of the firmware's own
///   sweep.
/// - The end of a tone is timed from its start, and is absent if the sender replaced the tone.
/// - Anything that the trace ends too early to show does not count against the session.
/// - Not compared: pulses, whose phase depends on the board; the lines of `V`, which contain the
///   board's clock; and the angle of a sweep in an answer to `?`.
///
/// If the sender's timing has any other effect on the board (a number times out, a purge discards a
/// command, the ring overflows), the outputs differ and the session does not agree.
///
/// Both sides are kept in memory until the session is over.
package struct LiveJudge: Sendable {
  package static let defaultTolerance = Interval.milliseconds(20)
  /// How many of a session's outputs are examined: about 16 hours of a sweep.
  package static let outputCountMax = 1 << 22
  /// How long a session is watched after its last expected output, to notice a board that does not
  /// stop.
  static let watch = Interval.milliseconds(60)
  private static let glance = Interval.milliseconds(10)
  /// The longest time for which a full ring can keep the sketch busy.
  private static let settleMax = Interval.seconds(15)

  private let traced: TracedSession
  private let tolerance: Interval
  private let gapMax: Interval?
  private let kinds: Set<Output.Kind>
  private let start: Header.Start
  private var course: Course
  private var refusals: RefusalComparison
  private var outputs: [Event] = []
  private var isTooLong = false
  /// Why the session cannot be judged, known before it begins.
  package private(set) var refusal: Verdict?

  /// Reads the trace to its end.
  ///
  /// - `observes`: the kinds of output that the live device shows.
  /// - `start`: whether the live session begins with the board's reset.
  /// - `baud`: the live board's speed; nil for the trace's.
  /// - `tolerance`: nil for 20 ms.
  /// - `gapMax`: by how much a gap between two bytes or commands of the sender can differ from the
  ///   trace's; nil for any.
  /// - `timing`: the figures of the build under test, which the trace is assumed to show too; nil
  ///   for the measured ones.
  package init(
    expected: inout TraceReader, firmware: Firmware, observes: Set<Output.Kind>,
    tolerance: Interval?, start: Header.Start = .reset, baud: Int? = nil, timing: Timing? = nil,
    gapMax: Interval? = nil
  ) throws(TraceError) {
    traced = try TracedSession(&expected, firmware: firmware, timing: timing)
    self.tolerance = tolerance ?? Self.defaultTolerance
    self.start = start
    self.gapMax = gapMax
    refusals = RefusalComparison(traced.refused)
    course = Course(
      firmware, timing: timing, baud: baud ?? traced.header.baud, start: start)
    let expectedKinds = traced.header.expects ?? traced.kinds
    var kinds = expectedKinds.filter { $0.isJudgedLive }
    if start == .unknown || traced.header.start == .unknown { kinds.remove(.transmit) }
    self.kinds = kinds
    refusal = refuse(expectedKinds, observes)
  }

  private func refuse(_ expectedKinds: Set<Output.Kind>, _ observes: Set<Output.Kind>) -> Verdict? {
    if !expectedKinds.isSubset(of: observes) {
      return Verdict(.cannotObserve(expectedKinds.subtracting(observes)))
    }
    if expectedKinds.isEmpty, traced.causes.bytes.isEmpty, traced.refused.isEmpty {
      return .emptyTrace
    }
    if !expectedKinds.isEmpty, kinds.isEmpty {
      return Verdict(
        .nothingToCompare(
          "it expects only what is not compared in a live session: pulses, or replies of a board "
            + "that was already running"))
    }
    if kinds == [.transmit], traced.replies.isEmpty, traced.reportsWrites {
      return Verdict(
        .nothingToCompare("it expects only lines of V, whose clock is the session's own"))
    }
    if needsFix, traced.fix == nil, !expectedKinds.isEmpty {
      return Verdict(
        .nothingToCompare(
          "the board was already running, and no aim or reset makes its state known"))
    }
    return nil
  }

  private var needsFix: Bool { start == .unknown || traced.header.start == .unknown }

  /// Takes the next event of the live session, in order of time: bytes (at the start bit of the
  /// first), resets, outputs and refused messages.
  package mutating func take(_ event: Event) {
    course.take(event)
    refusals.take(event)
    guard let kind = event.output?.kind, kinds.contains(kind) else { return }
    if outputs.count < Self.outputCountMax { outputs.append(event) } else { isTooLong = true }
  }

  /// Returns the instant until which a session whose sender is done at `now` must continue, so that
  /// its last outputs are observed.
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

  /// Ends the session.
  package mutating func finish(at end: Instant) -> Verdict {
    if let refusal { return refusal }
    guard !isTooLong else { return .tooLong }
    course.advance(to: end)
    let live = Causes(course)
    let sent = SenderComparison(
      expected: (traced.causes.bytes.map { $0.byte }, traced.causes.bytes.map { $0.arrived }),
      found: (live.bytes.map { $0.byte }, live.bytes.map { $0.arrived }),
      beginsCommand: { traced.causes.bytes[$0].fate == .letter }, gapMax: gapMax)
    let differing = sent.divergence(
      refusals, end: end, tolerance: tolerance, lastLine: traced.lastLine
    ) { traced.line($0) }
    // After a difference in what was sent, the outputs cannot be judged.
    var outcome = LiveComparison(
      traced, kinds: kinds, tolerance: tolerance, fix: needsFix ? traced.fix : nil)
    outcome.compare(live, outputs, until: min(end, differing?.time ?? end), end: end)
    let verdict = Verdict(outcome.comparison, differing, sent, refusals, fit: traced.fit)
    if verdict.agrees, verdict.tally.matched == 0, !traced.kinds.isDisjoint(with: kinds) {
      return .nothingInTime
    }
    return verdict
  }
}
