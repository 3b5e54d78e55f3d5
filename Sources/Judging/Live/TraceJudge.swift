package import Sketches
package import Traces

/// A trace by which a session is to be judged, before the session has a device.
package struct ExpectedTrace: ~Copyable {
  private var reader: TraceReader
  /// How early or late an output can be; nil for ``TraceJudge/defaultTolerance``.
  private let tolerance: Interval?
  /// How much a gap of the sender can differ from the trace's; nil if the gaps are not judged.
  private let gapMax: Interval?

  package init(_ reader: consuming TraceReader, tolerance: Interval?, gapMax: Interval?) {
    self.reader = reader
    self.tolerance = tolerance
    self.gapMax = gapMax
  }

  /// Reads the trace to its end.
  package consuming func judge(_ setup: SessionSetup) throws(TraceError) -> TraceJudge {
    try TraceJudge(expected: &reader, setup, tolerance: tolerance, gapMax: gapMax)
  }
}

/// Judges a live session by a trace, allowing for the sender's own timing.
///
/// - The bytes that reach the board must be the trace's, however they were split; the gaps between
///   them only if that was requested.
/// - The network's refusals must be the trace's too. Commands that were replaced or merged are only
///   counted, because their number depends on the sender's timing.
/// - The outputs must be the trace's too, in its order, each as long after its cause as in the
///   trace, within the tolerance. Pulses, whose phase depends on the board, are not compared.
/// - Anything that the trace ends too early to show does not count against the session.
///
/// If the sketch has a model, a byte causes its effects when the sketch takes it, so a byte that
/// waits for a start-up, a step of a sweep or a tone is not late.
///
/// - A sweep can have other steps than in the trace if it ran for a different time or began at
///   another angle. They must be those of the firmware's own sweep.
/// - The end of a tone is timed from its start, and is absent if the sender replaced the tone.
/// - Not compared: the lines of `V`, which contain the board's clock; and the angle of a sweep in
///   an answer to `?`.
/// - If the sender's timing has any other effect on the board (a number times out, a purge discards
///   a command, the ring overflows), the outputs differ.
///
/// Without a model, the outputs must be the trace's, each kind and pin in its order, and each timed
/// from the last byte or start of the board before it, a line from its beginning. A sketch that
/// acts unprompted, as in a sweep, agrees only if the sender has the trace's timing.
///
/// Both sides are kept in memory until the session is over.
package struct TraceJudge: Sendable {
  package static let defaultTolerance = Interval.milliseconds(20)
  /// How many of a session's outputs are examined: about 16 hours of a sweep.
  package static let outputCountMax = 1 << 22
  /// How long a session is watched after its last expected output: a board may not stop.
  private static let watch = Interval.milliseconds(60)
  /// An output that is less early or late is not reported as missing or extra.
  private static let delayMax = Interval.milliseconds(250)
  /// The longest pause between two bytes of one line from a board.
  private static let linePause = Interval.milliseconds(5)

  private let traced: TracedEvents
  /// The causes in the trace.
  private let causes: Causes
  /// The trace's outputs with the model's causes; nil if the sketch has no model.
  private let modelled: TracedSession?
  /// The causes in the session.
  private var live: CauseTracker
  private let tolerance: Interval
  private let gapMax: Interval?
  private let kinds: Set<Output.Kind>
  /// Whether the board was already running on either side, so that its state is not known at first.
  private let startsRunning: Bool
  private var refusals: RefusalComparison
  private var outputs: [Event] = []
  private var isTooLong = false
  /// Why the session cannot be judged, known before it begins.
  package private(set) var refusal: Verdict?

  /// Reads the trace to its end. The sketch has no model if a profile is given, here or in the
  /// trace, that is not one of the bench's own, or if the trace names a sketch that is not one of
  /// the bench's own.
  ///
  /// - `setup`: the live session's. The trace is assumed to show the same build of the sketch.
  /// - `tolerance`: nil for 20 ms.
  /// - `gapMax`: by how much a gap between two bytes or commands of the sender can differ from the
  ///   trace's; nil for any.
  package init(
    expected: inout TraceReader, _ setup: SessionSetup, tolerance: Interval? = nil,
    gapMax: Interval? = nil
  ) throws(TraceError) {
    var profile = setup.profile
    if profile == nil { profile = try expected.header.ownProfile(in: expected.path) }
    traced = try TracedEvents(&expected)
    let expectedKinds =
      traced.header.expects
      ?? traced.kinds.subtracting(Output.Kind.ofServoPins.subtracting(setup.observes))
    var kinds = expectedKinds.filter { $0.isJudgedLive }
    startsRunning = setup.start == .unknown || traced.header.start == .unknown
    if profile != nil || traced.header.otherFirmware != nil {
      modelled = nil
      var inputs = ArrivedInputs(profile, baud: traced.header.baud)
      for input in traced.inputs { inputs.take(input.event) }
      causes = Causes(inputs)
    } else {
      let session = TracedSession(traced, firmware: setup.firmware, timing: setup.timing)
      modelled = session
      causes = session.causes
      if startsRunning { kinds.remove(.transmit) }
    }
    live = CauseTracker(
      modelled == nil ? nil : Course(setup), or: ArrivedInputs(profile, baud: setup.baud))
    self.kinds = kinds
    self.tolerance = tolerance ?? Self.defaultTolerance
    self.gapMax = gapMax
    refusals = RefusalComparison(traced.refused)
    refusal =
      expectedKinds.isSubset(of: setup.observes)
      ? objection(expecting: expectedKinds).map { Verdict(.nothingToCompare($0)) }
      : Verdict(.cannotObserve(expectedKinds.subtracting(setup.observes)))
  }

  /// Why there is nothing to compare, known before the session begins; nil if there is something.
  private func objection(expecting expectedKinds: Set<Output.Kind>) -> String? {
    if expectedKinds.isEmpty {
      return causes.bytes.isEmpty && traced.refused.isEmpty
        ? "it has no bytes and no outputs, and no \"expects\" that says so" : nil
    }
    guard let modelled else {
      return kinds.isEmpty ? "it expects only pulses, whose phase is the board's own" : nil
    }
    if kinds.isEmpty {
      return "it expects only what is not compared in a live session: pulses, or replies of a "
        + "board that was already running"
    }
    if kinds == [.transmit], modelled.replies.isEmpty, modelled.reportsWrites {
      return "it expects only lines of V, whose clock is the session's own"
    }
    return startsRunning && modelled.fix == nil
      ? "the board was already running, and no aim or reset makes its state known" : nil
  }

  /// Takes the next event of the live session, in order of time. Bytes are stamped when they begin.
  package mutating func take(_ event: Event) {
    live.take(event)
    refusals.take(event)
    guard let kind = event.output?.kind, kinds.contains(kind) else { return }
    if outputs.count < Self.outputCountMax { outputs.append(event) } else { isTooLong = true }
  }

  /// Returns the instant until which a session whose sender is done at `now` must continue, so that
  /// its last outputs are observed.
  package func settles(from now: Instant) -> Instant {
    let base = causes.time(of: causes.last) ?? .zero
    let tail = max(traced.end - base, .zero) + tolerance
    let output = max(lastOutput - base, .zero) + tolerance + tolerance + Self.watch
    // The sender can have left out the trace's last byte.
    let found = live.settled(from: now).time(of: causes.last)
    guard let cause = found ?? (modelled == nil ? nil : .zero) else { return now }
    return max(now, cause + min(output, tail))
  }

  /// When the last output occurs in the trace.
  private var lastOutput: Instant {
    if let modelled { return modelled.lastOutput }
    var last = Instant.zero
    for expectation in traced.events {
      guard let output = expectation.event.output, kinds.contains(output.kind) else { continue }
      last = expectation.event.time
    }
    return last
  }

  /// Ends the session.
  package mutating func finish(at end: Instant) -> Verdict {
    if let refusal { return refusal }
    guard !isTooLong else {
      return Verdict(
        .nothingToCompare("the session had more than \(Self.outputCountMax) outputs to compare"))
    }
    let live = live.finish(at: end)
    let sent = SenderComparison(expected: causes, found: live, gapMax: gapMax)
    let differing = sent.divergence(
      refusals, end: end, tolerance: tolerance, lines: traced.lines(of: causes.bytes),
      lastLine: traced.lastLine)
    // After a difference in what was sent, the outputs cannot be judged.
    let limit = min(end, differing?.time ?? end)
    let verdict = verdict(compare(live, until: limit, end: end), differing, sent)
    if verdict.agrees, verdict.tally.matched == 0, !traced.kinds.isDisjoint(with: kinds) {
      return Verdict(
        .nothingToCompare("all its outputs are within one tolerance of the session's end"))
    }
    return verdict
  }

  private func verdict(
    _ comparison: Comparison, _ differing: Divergence?, _ sent: SenderComparison
  ) -> Verdict {
    var differing = differing
    if let expected = differing?.expected {
      differing?.traced = comparison.latest.traced + [.init(expected.event, line: expected.line)]
    }
    if let found = differing?.found {
      differing?.done = comparison.latest.done + [.init(found, line: nil)]
    }
    var verdict = comparison.verdict
    if let differing, verdict.agrees { verdict.outcome = .diverges(differing) }
    verdict.fit = modelled?.fit
    verdict.largestGap = sent.largestGap
    verdict.replaced = refusals.replaced
    verdict.merged = refusals.merged
    return verdict
  }

  // MARK: The outputs

  private func compare(_ live: Causes, until limit: Instant, end: Instant) -> Comparison {
    var comparison = Comparison(kinds: kinds, tolerance: tolerance)
    if let modelled {
      let moved = Retiming(
        modelled, onto: live, outputs, kinds, tolerance: tolerance,
        fix: startsRunning ? modelled.fix : nil, until: limit, end: end)
      comparison.feed(moved.expected, moved.found, delayMax: Self.delayMax)
    } else {
      comparison.feed(
        expectations(live, until: limit), outputs.filter { isShown($0, live, until: limit) },
        delayMax: Self.delayMax)
    }
    comparison.finish(at: limit, line: traced.lastLine)
    return comparison
  }

  /// Returns the inputs and outputs of a trace without a model at the session's times.
  private func expectations(_ live: Causes, until limit: Instant) -> [Expectation] {
    var moved: [Expectation] = []
    var byte = 0
    var lineCause = Cause.start(0)
    var lastTransmit: Instant?
    for expectation in traced.events {
      let time = expectation.event.time
      var cause = causes.cause(by: time)
      switch expectation.event.kind {
      case .receive(let bytes):
        cause = .byte(byte)
        byte += bytes.count
      case .output(let output) where kinds.contains(output.kind):
        if output.kind == .transmit {
          let goesOn = lastTransmit.map { time - $0 <= Self.linePause } ?? false
          if !goesOn { lineCause = cause }
          cause = lineCause
          lastTransmit = time
        }
        if startsRunning, cause == .start(0) { continue }
      default: continue
      }
      guard let base = causes.time(of: cause), let new = live.time(of: cause) else { continue }
      let then = max(.zero, new + (time - base)).roundedUpToMicrosecond
      guard then <= limit else { continue }
      moved.append(Expectation(Event(then, expectation.event.kind), line: expectation.line))
    }
    return moved
  }

  /// Whether a trace without a model would show an output of the session.
  private func isShown(_ event: Event, _ live: Causes, until limit: Instant) -> Bool {
    let cause = live.cause(by: event.time)
    if event.time > limit || startsRunning && cause == .start(0) { return false }
    guard let new = live.time(of: cause), let base = causes.time(of: cause) else { return true }
    return base + (event.time - new) <= traced.end - tolerance || cause != causes.last
  }
}

/// The events of a trace that judges a live session, read to its end.
struct TracedEvents {
  let header: Header
  let end: Instant
  /// All events up to the end.
  private(set) var events: [Expectation] = []
  /// The refusals of the network, which a live session must have too.
  private(set) var refused: [Expectation] = []
  let lastLine: Int

  init(_ reader: inout TraceReader) throws(TraceError) {
    header = reader.header
    reader.refusals = .checked
    while let event = try reader.next() {
      if case .refused(let message) = event.kind, message.why.isJudged {
        refused.append(Expectation(event, line: reader.line))
      }
      if event.time <= header.end ?? event.time {
        events.append(Expectation(event, line: reader.line))
      }
    }
    lastLine = reader.line
    end = header.shownEnd(lastEvent: reader.time)
  }

  /// The bytes, resets and speeds.
  var inputs: [Expectation] { events.filter { $0.event.isInput } }

  /// Returns the trace's line for each byte that reaches the board.
  func lines(of bytes: [Ledger.Entry]) -> [Int] {
    let inputs = inputs
    let lines = inputs.flatMap { input in
      guard case .receive(let sent) = input.event.kind else { return [Int]() }
      return sent.map { _ in input.line }
    }
    if lines.count == bytes.count { return lines }
    // If the speeds differ, the bytes that arrive are not those that were sent.
    return bytes.map { byte in inputs.last { $0.event.time < byte.arrived }?.line ?? 1 }
  }

  /// The kinds of output that occur.
  var kinds: Set<Output.Kind> { Set(events.lazy.compactMap { $0.event.output?.kind }) }
}
