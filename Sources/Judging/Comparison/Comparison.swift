package import Sketches
package import Traces

/// Compares a trace's expectations with a device's outputs as both arrive, in bounded memory.
///
/// Each kind of output is compared by index: same value, time within the tolerance. Outputs that
/// name a pin, of another servo or of a level, form a separate sequence for each pin, compared from
/// the first output that the trace expects.
///
/// Each side arrives in order of time. Times that a computer stamped are fitted first, once for all
/// kinds together, so both sides are kept in memory until the end, about 100 bytes per event.
///
/// Every comparison with a trace ends here. What comes before it only moves times, and differs in
/// what is known: a replay has the trace's own inputs, so that ``ClockFit`` and ``SweepEnds`` move
/// the device's outputs, and a sweep is at most one step longer or shorter; a live sender has its
/// own timing, so that ``Retiming`` moves the trace's outputs with their causes.
package struct Comparison: Sendable {
  /// The clock that stamped the times.
  package enum Times: Sendable {
    case board
    /// `isFitted`: whether its times are fitted to the board's. `sweeps`: the session whose sweeps
    /// can have one step more or one fewer than the trace's, because the computer's clock cannot
    /// decide whether a byte came before a step; nil to compare each step.
    case computer(isFitted: Bool = true, sweeps: SessionSetup? = nil)
  }

  /// The maximum number of lines from each side that a report shows after a divergence.
  private static let followingCount = 4
  /// How many outputs of a kind are kept before the trace expects one. Only the first matters.
  private static let undecidedCountMax = 1_024

  private let tolerance: Interval
  private let countsDifferences: Bool
  /// Whether the lines around a divergence are kept, which takes most of the time.
  private let keepsLines: Bool
  /// Indexed by the kind's number; the sequences of pins follow in order of appearance.
  private var byKind: [KindComparison]
  private var pins: [OutputSequence] = []
  /// Whether the sequences of pins are compared from the beginning.
  private let comparesAllPins: Bool
  /// The first divergence by time, with the lines around it so far.
  package private(set) var divergence: Divergence?
  package private(set) var hasDiverged = false
  private var worstBeforeDivergence = Interval.zero
  private var traced = Neighbourhood()
  private var done = Neighbourhood()
  /// The number of the trace's lines still to add to the divergence's report.
  private var following = 0
  /// The number of the device's outputs still to add to it.
  private var followingDone = 0

  private let kinds: Set<Output.Kind>?
  private let times: Times
  /// Whether both sides are kept until the end, and what is kept.
  private var isKept: Bool
  private var expected: [Expectation] = []
  private var found: [Event] = []
  /// The fit of the computer's clock; nil if there is none.
  package private(set) var fit: ClockFit?

  /// Compares `kinds`. If that is nil, compares each kind from the first event that the trace
  /// expects of it, except the ignored ones.
  ///
  /// `comparesAllPins`: whether outputs of pins that the trace does not name count too. Unless it
  /// `countsDifferences`, the first divergence is found and nothing after it is counted, which
  /// takes far less time. `keepsLines`: whether the lines around it are kept for a report.
  package init(
    kinds: Set<Output.Kind>?, ignoring ignored: Set<Output.Kind> = [], tolerance: Interval,
    comparesAllPins: Bool = false, countsDifferences: Bool = true, keepsLines: Bool = true,
    times: Times = .board
  ) {
    self.kinds = kinds
    self.times = times
    isKept = if case .computer = times { true } else { false }
    self.tolerance = tolerance
    self.comparesAllPins = comparesAllPins
    self.countsDifferences = countsDifferences
    self.keepsLines = keepsLines
    byKind = Output.Kind.allCases.map { kind in
      if let kinds { return KindComparison(status: kinds.contains(kind) ? .compared : .ignored) }
      return KindComparison(status: ignored.contains(kind) ? .ignored : .undecided)
    }
  }

  /// Takes the trace's next event, of any kind.
  package mutating func expect(_ event: Event, line: Int) {
    if isKept { return expected.append(Expectation(event, line: line)) }
    if keepsLines, !traced.join(event) {
      if following > 0 {
        following -= 1
        if following == 0 { keepNeighbourhood() }
      }
      traced.append(event, line: line)
    }
    guard case .output(let output) = event.kind else { return }
    let kind = sequence(of: output)
    if byKind[kind].status == .undecided {
      byKind[kind].status = .compared
      // What the device did before the trace expected anything is part of the report too.
      for event in byKind[kind].found.waiting.prefix(Self.followingCount) { remember(event) }
    }
    if byKind[kind].status == .aligned {
      byKind[kind].aligner?.expect(event)
    } else if byKind[kind].status != .compared {
      return
    } else if byKind[kind].found.isEmpty {
      byKind[kind].expected.append(Expectation(event, line: line))
    } else {
      compare(Expectation(event, line: line), byKind[kind].found.removeFirst(), kind)
    }
  }

  /// Takes the device's next output.
  package mutating func find(_ event: Event) {
    if isKept { return found.append(event) }
    guard case .output(let output) = event.kind else { return }
    let kind = sequence(of: output)
    guard byKind[kind].status != .ignored else { return }
    if byKind[kind].status != .undecided { remember(event) }
    guard byKind[kind].status != .diverged else { return }
    if byKind[kind].status == .aligned {
      byKind[kind].aligner?.find(event)
    } else if !byKind[kind].expected.isEmpty {
      compare(byKind[kind].expected.removeFirst(), event, kind)
    } else if byKind[kind].status == .compared
      || byKind[kind].found.waiting.count < Self.undecidedCountMax
    {
      byKind[kind].found.append(event)
    }
  }

  /// Notes that both sides are complete up to `instant`. `line` is the trace's current line.
  package mutating func settle(before instant: Instant, line: Int) {
    let deadline = instant - tolerance
    for kind in byKind.indices { settle(kind, before: deadline, end: .distantFuture, line: line) }
  }

  /// Ends the session. Events within one tolerance of `end` can be missing on the other side.
  package mutating func finish(at end: Instant, line: Int) {
    if isKept { return compareKept(at: end, line: line) }
    func isExcused(_ event: Event) -> Bool { (event.time - end).magnitude <= tolerance }
    for kind in byKind.indices {
      settle(kind, before: end - tolerance, end: end, line: line)
      byKind[kind].aligner?.finish(isExcused: isExcused)
    }
    if following > 0 { keepNeighbourhood() }
  }

  /// The counts of matching and differing outputs.
  package var tally: Tally {
    byKind.reduce(Tally()) { sum, comparison in
      sum + Tally(matched: comparison.matched) + (comparison.aligner?.tally ?? Tally())
    }
  }

  /// The largest deviation of a matched pair.
  package var worst: Interval {
    byKind.compactMap { $0.aligner?.worst }.reduce(worstBeforeDivergence, max)
  }

  /// How the device's sweep drifts relative to the trace's; nil if it does not. The fit of a
  /// computer's clock absorbs a drift.
  package var drift: SweepDrift? {
    if case .board = times { byKind[Output.Kind.servo.rawValue].aligner?.drift } else { nil }
  }

  /// What was found so far, but for a drift.
  var verdict: Verdict {
    Verdict(
      divergence.map(Verdict.Outcome.diverges) ?? .agrees, tally: tally, worst: worst, fit: fit)
  }

  /// The last few events of both sides.
  package var latest: (traced: [Divergence.Neighbour], done: [Divergence.Neighbour]) {
    (traced.inOrder, done.inOrder)
  }

  // MARK: -

  /// Takes out the first waiting event of a sequence if it came before `deadline`, or more than one
  /// tolerance after `end`: it has no partner.
  @inline(__always)
  private mutating func settle(_ kind: Int, before deadline: Instant, end: Instant, line: Int) {
    guard byKind[kind].status == .compared else { return }
    func isAlone(_ time: Instant) -> Bool { time < deadline || time - end > tolerance }
    if let first = byKind[kind].expected.first, isAlone(first.event.time) {
      _ = byKind[kind].expected.removeFirst()
      diverge(.missing, expected: first, found: nil, line: first.line, kind)
    } else if let first = byKind[kind].found.first, isAlone(first.time) {
      _ = byKind[kind].found.removeFirst()
      diverge(.extra, expected: nil, found: first, line: line, kind)
    }
  }

  /// Returns the index of an output's sequence.
  @inline(__always)
  private mutating func sequence(of output: Output) -> Int {
    let kind = output.kind
    guard let pin = output.pin else { return kind.rawValue }
    return sequence(of: OutputSequence(kind: kind, pin: pin))
  }

  private mutating func sequence(of named: OutputSequence) -> Int {
    let first = Output.Kind.allCases.count
    if let index = pins.firstIndex(of: named) { return first + index }
    var status = byKind[named.kind.rawValue].status
    if status == .aligned { status = .compared }
    if status == .compared, !comparesAllPins { status = .undecided }
    pins.append(named)
    byKind.append(KindComparison(status: status))
    return byKind.count - 1
  }

  @inline(__always)
  private mutating func compare(_ expected: Expectation, _ found: Event, _ kind: Int) {
    // Nearly every pair in virtual time.
    if expected.event == found {
      byKind[kind].matched += 1
    } else if let wanted = expected.event.output, let output = found.output,
      wanted.matches(output)
    {
      let off = (found.time - expected.event.time).magnitude
      if off <= tolerance {
        byKind[kind].matched += 1
        if off > worstBeforeDivergence { worstBeforeDivergence = off }
      } else {
        diverge(.time, expected: expected, found: found, line: expected.line, kind)
      }
    } else if found.time < expected.event.time - tolerance {
      diverge(.extra, expected: expected, found: found, line: expected.line, kind)
    } else if expected.event.time < found.time - tolerance {
      diverge(.missing, expected: expected, found: found, line: expected.line, kind)
    } else {
      diverge(.value, expected: expected, found: found, line: expected.line, kind)
    }
  }

  /// Records where the sequences of a kind diverge. From then on they are at most aligned.
  private mutating func diverge(
    _ difference: Divergence.Difference, expected: Expectation?, found: Event?, line: Int,
    _ kind: Int
  ) {
    if countsDifferences {
      align(expected, found, kind)
    } else {
      byKind[kind].status = .diverged
    }
    let new = Divergence(
      difference, expected: difference == .extra ? nil : expected,
      found: difference == .missing ? nil : found, line: line, tolerance: tolerance)
    if let first = divergence, first.time <= new.time { return }
    divergence = new
    hasDiverged = true
    // They are kept when the next one comes, because the last of them can be part of a line.
    following = Self.followingCount + 1
    followingDone = Self.followingCount
  }

  /// Aligns the two sequences from here on, beginning with the waiting events.
  private mutating func align(_ expected: Expectation?, _ found: Event?, _ kind: Int) {
    var aligner = Aligner(tolerance: tolerance)
    if let expected { aligner.expect(expected.event) }
    if let found { aligner.find(found) }
    while !byKind[kind].expected.isEmpty {
      aligner.expect(byKind[kind].expected.removeFirst().event)
    }
    while !byKind[kind].found.isEmpty { aligner.find(byKind[kind].found.removeFirst()) }
    byKind[kind].aligner = aligner
    byKind[kind].status = .aligned
  }

  @inline(__always)
  private mutating func remember(_ found: Event) {
    if !keepsLines || done.join(found) { return }
    if hasDiverged, let divergence, found.time > divergence.time {
      guard followingDone > 0 else { return }
      followingDone -= 1
    }
    done.append(found, line: nil)
  }

  private mutating func keepNeighbourhood() {
    divergence?.traced = traced.inOrder
    // Kinds that were not compared from the beginning are remembered late.
    divergence?.done = done.inOrder.sorted { $0.event.time < $1.event.time }
  }
}

/// The expected and the found events of one kind of output, compared by index as they arrive.
struct KindComparison: Sendable {
  /// Whether this kind is compared.
  enum Status: Hashable {
    /// Will be compared as soon as the trace expects one.
    case undecided
    case compared
    /// The sequences have diverged, and later events are counted by the aligner.
    case aligned
    /// The sequences have diverged, and later events are not counted.
    case diverged
    case ignored
  }

  var status: Status
  /// Waiting events: until the sequences diverge, one of the two is empty.
  var expected = FIFO<Expectation>()
  var found = FIFO<Event>()
  /// The number of pairs within the tolerance.
  var matched = 0
  /// Counts the events after the sequences diverge, if that is requested. Each event asks only for
  /// the status, because to look at an aligner copies it.
  var aligner: Aligner?
}

extension Comparison {
  /// Compares what was kept of both sides.
  private mutating func compareKept(at end: Instant, line: Int) {
    let (expected, found) = (self.expected, self.found)
    (isKept, self.expected, self.found) = (false, [], [])
    let blank = self
    compare(expected, found, at: end, line: line)
    // Only if the steps differ, because a second run of the model takes as long as the first.
    guard case .computer(_, let sweeps?) = times, let divergence,
      ServoState(divergence.expected?.event.output) ?? ServoState(divergence.found?.output) != nil
    else { return }
    let inputs = expected.lazy.map { $0.event }.filter { $0.isInput }
    let adjusted = SweepEnds(inputs, sweeps, until: end, tolerance: tolerance)
      .adjusted(found, to: expected)
    guard adjusted != found else { return }
    self = blank
    compare(expected, adjusted, at: end, line: line)
  }

  private mutating func compare(
    _ expected: [Expectation], _ found: [Event], at end: Instant, line: Int
  ) {
    var found = found
    if case .computer(true, _) = times { fit = ClockFit(expected, found, kinds) }
    if let fit { for index in found.indices { found[index].time = fit.host(found[index].time) } }
    feed(expected, found)
    finish(at: end, line: line)
  }

  /// Feeds both sides of a session that is over, in order of time. Each kind keeps its order. A
  /// deviation smaller than `delayMax` is reported as late or early, not as missing or extra.
  mutating func feed(_ expected: [Expectation], _ found: [Event], delayMax: Interval = .zero) {
    var latest = Array(repeating: Instant.zero, count: Output.Kind.allCases.count)
    let keys = expected.map { expectation in
      guard let kind = expectation.event.output?.kind else { return expectation.event.time }
      latest[kind.rawValue] = max(latest[kind.rawValue], expectation.event.time)
      return latest[kind.rawValue]
    }
    var next = 0
    for index in expected.indices.sorted(by: { (keys[$0], $0) < (keys[$1], $1) }) {
      while next < found.count, found[next].time <= keys[index] {
        find(found[next])
        next += 1
      }
      let line = expected[index].line
      expect(expected[index].event, line: line)
      settle(before: keys[index] - delayMax, line: line)
    }
    for event in found[next...] { find(event) }
  }
}

/// An event of a trace and its line.
package struct Expectation: Hashable, Sendable {
  package var event: Event
  package var line: Int

  package init(_ event: Event, line: Int) {
    self.event = event
    self.line = line
  }
}

/// The outputs of one kind that form a sequence: those that name the same pin, or none.
struct OutputSequence: Hashable, Sendable {
  var kind: Output.Kind
  var pin: BoardPin?
}

/// The last few lines of one side, for the report of a divergence.
struct Neighbourhood: Sendable {
  private static let count = 16

  private var ring: [(event: Event, line: Int?)] = []
  private var next = 0
  /// The index of the line that the board sent last; nil if it is no longer kept.
  private var sent: Int?
  /// The other bytes of the lines that the board sent, by the index of their first. Apart from the
  /// lines, because nearly no line has any.
  private var rests: [Int: [Event]] = [:]

  /// Adds a byte that the board sent to its last line. Returns whether it continues that.
  @inline(__always)
  mutating func join(_ event: Event) -> Bool {
    guard let sent, case .output(.transmit) = event.kind else { return false }
    return joinSent(event, at: sent)
  }

  private mutating func joinSent(_ event: Event, at index: Int) -> Bool {
    // Taken out meanwhile, so that it need not be copied.
    var line = neighbour(index, rests.removeValue(forKey: index))
    defer { rests[index] = line.rest }
    return line.join(event)
  }

  @inline(__always)
  mutating func append(_ event: Event, line: Int?) {
    if case .output(.transmit) = event.kind {
      sent = next
    } else if sent == next {
      sent = nil
    }
    if !rests.isEmpty { rests[next] = nil }
    if ring.count < Self.count {
      ring.append((event, line))
    } else {
      ring[next] = (event, line)
    }
    next = (next + 1) % Self.count
  }

  private func neighbour(_ index: Int, _ rest: [Event]?) -> Divergence.Neighbour {
    var line = Divergence.Neighbour(ring[index].event, line: ring[index].line)
    line.rest = rest ?? []
    return line
  }

  var inOrder: [Divergence.Neighbour] {
    // Until the ring is full, `next` is past its end.
    ring.indices.map { offset in
      let index = (next + offset) % ring.count
      return neighbour(index, rests[index])
    }
  }
}

/// The first place where a device's output differs from what its trace expects.
package struct Divergence: Hashable, Sendable {
  package enum Difference: String, Hashable, Sendable {
    case value, time, missing, extra
    /// In a live session: the received bytes differ.
    case bytes
    /// In a live session: the time between two bytes or commands of the sender differs.
    case gap
    /// In a live session: the network refused something else.
    case refused
  }

  /// A line near the divergence: an event of the trace or an output of the device. What the board
  /// sends without a pause, up to a line's end, is one.
  package struct Neighbour: Hashable, Sendable {
    package var event: Event
    /// The trace's line, of the first byte if there are several; nil for the device's output.
    package var line: Int?
    /// The other bytes that the board sent, with their times.
    fileprivate(set) var rest: [Event] = []

    /// The most bytes of a line, and the longest pause in it.
    private static let bytesMax = 256
    static let pauseMax = Interval.milliseconds(20)

    package init(_ event: Event, line: Int?) {
      self.event = event
      self.line = line
    }

    /// Adds a byte that the board sent if it continues this line. Returns whether it does.
    mutating func join(_ next: Event) -> Bool {
      let last = rest.last ?? event
      guard case .output(.transmit) = next.kind, case .output(.transmit(let byte)) = last.kind,
        byte != 0x0A, next.time - last.time <= Self.pauseMax, rest.count + 1 < Self.bytesMax
      else { return false }
      rest.append(next)
      return true
    }

    /// Whether an event is this one, or a byte in it.
    func contains(_ event: Event?) -> Bool {
      self.event == event || !rest.isEmpty && rest.contains { $0 == event }
    }

    /// The event as a line of a trace, without the line feed.
    package var text: String {
      guard !rest.isEmpty else { return event.line }
      let bytes = ([event] + rest).compactMap { event -> UInt8? in
        if case .output(.transmit(let byte)) = event.kind { byte } else { nil }
      }
      var line: [UInt8] = []
      line.appendLine(sent: bytes, at: event.time)
      return String(decoding: line.dropLast(), as: UTF8.self)
    }
  }

  package var difference: Difference
  package var expected: Expectation?
  package var found: Event?
  /// The trace's line where the divergence was noticed.
  package var line: Int
  package var tolerance: Interval
  /// What differs, if it is in what was sent or refused in a live session.
  private var sentence: String?
  /// The trace's events and the device's outputs around the divergence, each in order.
  package var traced: [Neighbour] = []
  package var done: [Neighbour] = []

  /// The virtual time of the divergence.
  package var time: Instant { expected?.event.time ?? found?.time ?? .zero }

  /// `sentence`: what differs in what was sent or refused.
  package init(
    _ difference: Difference, expected: Expectation?, found: Event?, line: Int,
    tolerance: Interval, sentence: String? = nil
  ) {
    self.difference = difference
    self.expected = expected
    self.found = found
    self.line = line
    self.tolerance = tolerance
    self.sentence = sentence
  }

  /// The divergence in one sentence: what was expected, and what was found.
  package var message: String {
    if let sentence { return sentence }
    func text(_ event: Event) -> String {
      "\(event.output?.description ?? "nothing") at \(Self.seconds(event.time))"
    }
    switch (difference, expected?.event, found) {
    case (.time, let expected?, let found?):
      let late = found.time - expected.time
      return "\(expected.output?.description ?? "nothing") came "
        + "\(String(readable: late.magnitude)) \(late > .zero ? "late" : "early"): "
        + "expected at \(Self.seconds(expected.time)), found at \(Self.seconds(found.time)) "
        + "(tolerance \(String(readable: tolerance)))"
    case (_, let expected?, let found?): return "expected \(text(expected)), found \(text(found))"
    case (_, let expected?, nil): return "expected \(text(expected)), found none"
    case (_, nil, let found?):
      return "expected no \(found.output?.kind.name ?? "output") event here, found \(text(found))"
    case (_, nil, nil): return "the two differ"
    }
  }

  /// Formats an instant for messages.
  package static func seconds(_ instant: Instant) -> String { String(canonical: instant) + " s" }
}
