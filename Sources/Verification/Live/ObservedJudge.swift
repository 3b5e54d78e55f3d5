package import Traces
package import Turret

/// Judges a live session of a sketch without a model by a trace, allowing for the sender's own
/// timing.
///
/// Bytes, gaps and refusals are compared as in ``LiveJudge``. The outputs must be the trace's, each
/// kind and pin in its order, each as long after the last byte or start of the board before it as
/// in the trace, within the tolerance. A line that the board sends is timed from its beginning.
/// Anything that the trace ends too early to show does not count, and pulses, whose phase depends
/// on the board, are not compared.
///
/// Without a model, it is not known when the sketch takes a byte. A session in which the sketch
/// acts unprompted, as in a sweep, agrees only if the sender has the trace's timing.
package struct ObservedJudge: Sendable {
  /// The longest pause between two bytes of one line from a board.
  private static let linePause = Interval.milliseconds(5)

  private let traced: TracedEvents
  private let tracedInputs: ArrivedInputs
  private let tolerance: Interval
  private let gapMax: Interval?
  private let kinds: Set<Output.Kind>
  /// Whether the board was already running on either side, so that nothing is compared before the
  /// first byte or reset.
  private let startsRunning: Bool
  private var inputs: ArrivedInputs
  private var refusals: RefusalComparison
  private var outputs: [Event] = []
  private var isTooLong = false
  /// Why the session cannot be judged, known before it begins.
  package private(set) var refusal: Verdict?

  /// Reads the trace to its end. The arguments are those of ``LiveJudge``; `profile` is nil if the
  /// commands are not known.
  package init(
    expected: inout TraceReader, profile: Profile?, observes: Set<Output.Kind>,
    tolerance: Interval?, start: Header.Start = .reset, baud: Int? = nil, gapMax: Interval? = nil
  ) throws(TraceError) {
    traced = try TracedEvents(&expected)
    self.tolerance = tolerance ?? LiveJudge.defaultTolerance
    self.gapMax = gapMax
    var tracedInputs = ArrivedInputs(profile, baud: traced.header.baud)
    for input in traced.inputs { tracedInputs.take(input.event) }
    self.tracedInputs = tracedInputs
    inputs = ArrivedInputs(profile, baud: baud ?? traced.header.baud)
    refusals = RefusalComparison(traced.refused)
    startsRunning = start == .unknown || traced.header.start == .unknown
    let expectedKinds = traced.header.expects ?? traced.kinds
    kinds = expectedKinds.filter { $0.isJudgedLive }
    refusal = refuse(expectedKinds, observes)
  }

  private func refuse(_ expectedKinds: Set<Output.Kind>, _ observes: Set<Output.Kind>) -> Verdict? {
    if !expectedKinds.isSubset(of: observes) {
      return Verdict(.cannotObserve(expectedKinds.subtracting(observes)))
    }
    if expectedKinds.isEmpty, tracedInputs.bytes.isEmpty, traced.refused.isEmpty {
      return .emptyTrace
    }
    if !expectedKinds.isEmpty, kinds.isEmpty {
      return Verdict(.nothingToCompare("it expects only pulses, whose phase is the board's own"))
    }
    return nil
  }

  /// Takes the next event of the live session, in order of time.
  package mutating func take(_ event: Event) {
    inputs.take(event)
    refusals.take(event)
    guard let kind = event.output?.kind, kinds.contains(kind) else { return }
    if outputs.count < LiveJudge.outputCountMax { outputs.append(event) } else { isTooLong = true }
  }

  /// Returns the instant until which a session whose sender is done at `now` must continue, so that
  /// its last outputs are observed.
  package func settles(from now: Instant) -> Instant {
    guard let base = tracedInputs.time(of: tracedInputs.last),
      let cause = inputs.time(of: tracedInputs.last)
    else { return now }
    var last = Instant.zero
    for expectation in traced.events {
      guard let output = expectation.event.output, kinds.contains(output.kind) else { continue }
      last = expectation.event.time
    }
    let output = max(last - base, .zero) + tolerance + tolerance
    let tail = max(traced.end - base, .zero) + tolerance
    return max(now, cause + min(output + LiveJudge.watch, tail))
  }

  /// Ends the session.
  package mutating func finish(at end: Instant) -> Verdict {
    if let refusal { return refusal }
    guard !isTooLong else { return .tooLong }
    let sent = SenderComparison(
      expected: (tracedInputs.bytes, tracedInputs.arrivals),
      found: (inputs.bytes, inputs.arrivals),
      beginsCommand: { tracedInputs.beginsCommand[$0] }, gapMax: gapMax)
    let lines = byteLines
    let differing = sent.divergence(
      refusals, end: end, tolerance: tolerance, lastLine: traced.lastLine
    ) { $0 < lines.count ? lines[$0] : traced.lastLine }

    // After a difference in what was sent, the outputs cannot be judged.
    let limit = min(end, differing?.time ?? end)
    var comparison = Comparison(kinds: kinds, tolerance: tolerance)
    comparison.feed(
      expectations(until: limit), outputs.filter { isJudged($0, until: limit) })
    comparison.finish(at: limit, line: traced.lastLine)
    let verdict = Verdict(comparison, differing, sent, refusals)
    if verdict.agrees, verdict.tally.matched == 0, !traced.kinds.isDisjoint(with: kinds) {
      return .nothingInTime
    }
    return verdict
  }

  /// The trace's line for each byte.
  private var byteLines: [Int] {
    traced.inputs.flatMap { input -> [Int] in
      guard case .receive(let bytes) = input.event.kind else { return [] }
      return Array(repeating: input.line, count: bytes.count)
    }
  }

  // MARK: The outputs

  /// The trace's inputs and outputs at the session's times.
  private func expectations(until limit: Instant) -> [Expectation] {
    var moved: [Expectation] = []
    var byte = 0
    var lineCause = Cause.start(0)
    var lastTransmit: Instant?
    for expectation in traced.events {
      let time = expectation.event.time
      var cause = tracedInputs.cause(by: time)
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
      guard let base = tracedInputs.time(of: cause), let new = inputs.time(of: cause) else {
        continue
      }
      let then = max(.zero, new + (time - base)).roundedUpToMicrosecond
      guard then <= limit else { continue }
      moved.append(
        Expectation(Event(then, expectation.event.kind), line: expectation.line))
    }
    return moved
  }

  /// Whether the trace would show an output of the session.
  private func isJudged(_ event: Event, until limit: Instant) -> Bool {
    let cause = inputs.cause(by: event.time)
    if event.time > limit || startsRunning && cause == .start(0) { return false }
    guard let new = inputs.time(of: cause), let base = tracedInputs.time(of: cause) else {
      return true
    }
    return base + (event.time - new) <= traced.end - tolerance || !isLast(cause)
  }

  /// Whether nothing follows a cause in the trace.
  private func isLast(_ cause: Cause) -> Bool { cause == tracedInputs.last }
}
