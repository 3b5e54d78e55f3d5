import Devices
package import Sketches
package import Traces

/// Compares a trace's expectations with a device's outputs as both arrive.
///
/// Each side arrives in order of time.
package protocol Judge: Sendable {
  /// Takes the trace's next event, of any kind, and its line.
  mutating func expect(_ event: Event, line: Int)
  /// Takes the device's next output.
  mutating func find(_ event: Event)
  /// Notes that both sides are complete up to `instant`. `line` is the trace's current line.
  mutating func settle(before instant: Instant, line: Int)
  /// Ends the session at `end`.
  mutating func finish(at end: Instant, line: Int)

  /// Whether there is a divergence so far. Faster than `divergence`.
  var hasDiverged: Bool { get }
  /// The first divergence by time so far.
  var divergence: Divergence? { get }
  /// The counts of matching and differing outputs so far.
  var tally: Tally { get }
  /// The largest deviation of a matching output.
  var worst: Interval { get }
  /// How the device's sweep drifts relative to the trace's; nil if it does not.
  var drift: SweepDrift? { get }
  /// The fit of the computer's clock; nil if there is none.
  var fit: ClockFit? { get }
}

/// The run of one trace through a device and a judge.
struct VerificationRun<D: Device, J: Judge> {
  private static var watchfulSlice: Interval { .milliseconds(20) }

  private let tolerance: Interval
  private let end: Instant?
  /// Outputs after this instant are discarded.
  private var last = Instant.distantFuture
  private let expected: Set<Output.Kind>?
  private var simulation: Simulation<D>
  private var judge: J
  /// Non-nil while the board's state is unknown.
  private var fix: StateFix?
  /// The kinds of output in the trace before that state was known.
  private var unfixed: Set<Output.Kind> = []
  /// When the state of a board that was already running became known.
  private var fixed: Instant?
  /// The number of the trace's outputs of the kinds it expects.
  private var outputs = 0
  /// The last line taken from the trace.
  private var line = 1
  private var noticed: (activity: Activity?, waitingCount: Int?, time: Instant)?

  init(
    _ device: D, tolerance: Interval, _ judge: J, header: Header, ledger: Ledger? = nil
  ) {
    self.tolerance = tolerance
    self.judge = judge
    end = header.end
    expected = header.expects
    simulation = Simulation(device, ledger: ledger)
    fix =
      header.start == .unknown || device.capabilities.start == .unknown
      ? StateFix(
        tolerance: tolerance,
        isExact: header.clock == .device && device.capabilities.clock == .device) : nil
  }

  mutating func take(_ event: Event, line: Int) {
    self.line = line
    advance(to: min(event.time, end ?? event.time))
    if event.isInput, event.time <= end ?? event.time {
      simulation.feed(event)
      advance(to: event.time)
      if case .reset = event.kind { fix = nil }
    }
    if let kind = event.output?.kind, expected?.contains(kind) ?? true { outputs += 1 }
    if fix == nil {
      if Self.isComparable(event, from: fixed) { judge.expect(event, line: line) }
    } else {
      if let kind = event.output?.kind { unfixed.insert(kind) }
      fix?.expect(event, line: line)
      tryToFix()
    }
    settle()
  }

  /// Why the device no longer works; nil while it does.
  var fault: DeviceError? { simulation.fault }

  mutating func finish(lastEvent: Instant) -> Verdict {
    var verdict = verdict(lastEvent: lastEvent)
    verdict.remarks = simulation.device.remarks
    return verdict
  }

  /// Returns the fates of the bytes, after `finish`.
  mutating func finishLedger() -> Ledger { simulation.finishLedger() }

  private mutating func verdict(lastEvent: Instant) -> Verdict {
    let end = end ?? lastEvent
    if simulation.lag > .zero { last = end + tolerance }
    advance(to: end + tolerance + simulation.lag)
    if fix == nil { judge.finish(at: end, line: line) }
    notice()
    if let fault { return Verdict(.deviceFailed(fault)) }
    if fix != nil { return Verdict(.nothingToCompare(whyUnfixed)) }
    if outputs == 0 && expected == nil {
      return Verdict(
        .nothingToCompare("it has no outputs, and no \"expects\" that says there are none"))
    }
    if outputs > 0, !judge.hasDiverged, judge.tally.matched == 0 {
      return Verdict(
        .nothingToCompare(
          "all its outputs are within one tolerance of the end, or before the board's state was "
            + "known"))
    }
    var verdict = Verdict(
      judge.divergence.map(Verdict.Outcome.diverges) ?? .agrees, tally: judge.tally,
      worst: judge.worst, fit: judge.fit)
    verdict.drift = judge.drift
    verdict.activity = noticed?.activity
    verdict.waitingCount = noticed?.waitingCount
    verdict.noticed = noticed?.time
    return verdict
  }

  /// Why the state of a board that was already running did not become known.
  private var whyUnfixed: String {
    let others = [(Output.Kind.pulse, "pulses"), (.transmit, "answers")].filter {
      unfixed.contains($0.0)
    }
    if unfixed.count > others.count {
      return "the board was already running, and no aim or reset makes its state known"
    }
    guard !others.isEmpty else { return "the recording has no outputs of the board" }
    let names = others.map { $0.1 }.joined(separator: " and ")
    return "the board was already running, so its \(names) cannot be compared"
  }

  private mutating func settle() {
    // The device may have been held at the duration while the trace continued.
    judge.settle(before: simulation.now - simulation.lag, line: line)
    notice()
  }

  /// Records what the sketch was doing when a divergence is first noticed.
  private mutating func notice() {
    guard noticed == nil, judge.hasDiverged, let divergence = judge.divergence,
      // Its activity much later, for example after a clock was fitted, explains nothing.
      simulation.now - divergence.time <= tolerance + Self.watchfulSlice
    else { return }
    noticed = (simulation.device.activity, simulation.device.waitingCount, simulation.now)
  }

  private mutating func advance(to end: Instant) {
    while fix != nil, simulation.now < end {
      // One event at a time: the sketch's next activity shows whether a servo event is an aim.
      let soon = simulation.now + .nanoseconds(1)
      let next = min(end, max(simulation.device.nextDeadline ?? end, soon))
      while simulation.step(to: next) {
        let isAim = simulation.device.activity.map { !$0.isScanning }
        for seen in simulation.outputs where seen.time <= last {
          fix?.find(Event(seen.time, seen.output), isAim: isAim)
        }
      }
      tryToFix()
    }
    // Small steps until the first divergence, so that it is noticed while it happens. An output
    // without a partner counts as missing one tolerance later; after that, the next deadline is
    // soon enough.
    var next = simulation.now + max(Self.watchfulSlice, tolerance + .microseconds(1))
    while next < end, !judge.hasDiverged {
      step(to: next)
      settle()
      next = max(simulation.now + Self.watchfulSlice, simulation.device.nextDeadline ?? end)
    }
    step(to: end)
  }

  private mutating func step(to end: Instant) {
    while simulation.step(to: end) {
      for seen in simulation.outputs where seen.time <= last {
        let event = Event(seen.time, seen.output)
        if Self.isComparable(event, from: fixed) { judge.find(event) }
      }
    }
  }

  /// Whether an event can be compared: the end of a tone that began before a running board's state
  /// was `fixed` cannot. Static, because to call a method would copy the whole run for each event.
  private static func isComparable(_ event: Event, from fixed: Instant?) -> Bool {
    guard let fixed, event.output?.kind == .tone else { return true }
    return event.time > fixed + .milliseconds(250)
  }

  private mutating func tryToFix() {
    guard fix?.hand(to: &judge, at: simulation.now) == true else { return }
    fix = nil
    fixed = simulation.now
  }
}

/// Finds the first event that fixes the state of a board that was already running: an aim on which
/// trace and device agree. Only the events after it can be compared.
///
/// A board that receives two aims does both, whatever its state was, except that the first can end
/// an unfinished number. So if the trace shows neither where the device has them, the second is
/// compared, and differs.
struct StateFix {
  /// A scan unknown to the trace ends up to one step late, and a computer's stamp can be off by as
  /// much as a clock fit allows.
  private let window: Interval
  private static let countMax = 256
  private var expected: [Expectation] = []
  private var found: [(event: Event, isAim: Bool)] = []
  /// The aim that both sides have, as positions in the two lists.
  private var match: (expected: Int, found: Int)?
  /// Two aims closer than this can be affected by the same unfinished number.
  private static let apart = Interval.milliseconds(100)
  /// How early an output of the trace can be; nil if its clock has not been fitted yet, so that
  /// only an aim on which both sides agree can fix the state.
  private let early: Interval?
  /// The device's first aim, and the first one that is far enough from it.
  private var firstAim: Instant?
  private var laterAim: Instant?

  /// `isExact`: whether the trace's times are the board's own.
  init(tolerance: Interval, isExact: Bool) {
    window = max(tolerance, .milliseconds(20)) + .milliseconds(50)
    early = isExact ? tolerance : nil
  }

  mutating func expect(_ event: Event, line: Int) {
    if expected.count == Self.countMax { expected.removeFirst(Self.countMax / 2) }
    expected.append(Expectation(event, line: line))
    guard case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if let partner = found.firstIndex(where: { $0.isAim && isSame($0.event, event) }) {
      match = (expected.count - 1, partner)
    }
  }

  /// Takes the device's next output. `isAim`: whether it is not a step of a sweep; nil if the
  /// device does not show that, so that it can be either.
  mutating func find(_ event: Event, isAim known: Bool?) {
    let isAim = known ?? true
    if found.count == Self.countMax { found.removeFirst(Self.countMax / 2) }
    found.append((event, isAim))
    guard isAim, case .output(.servo(_, _, nil)) = event.kind, match == nil else { return }
    if known == true {
      if let firstAim, laterAim == nil, event.time - firstAim >= Self.apart {
        laterAim = event.time
      }
      firstAim = firstAim ?? event.time
    }
    if let partner = expected.firstIndex(where: { isSame($0.event, event) }) {
      match = (partner, found.count - 1)
    }
  }

  /// Whether the state is fixed at `now`. If so, passes the events after the fixing one to `judge`.
  func hand(to judge: inout some Judge, at now: Instant) -> Bool {
    guard let match = match ?? contradiction(at: now) else { return false }
    for later in expected[(match.expected + 1)...] where later.event.output?.kind != .tone {
      judge.expect(later.event, line: later.line)
    }
    for later in found[(match.found + 1)...] where later.event.output?.kind != .tone {
      judge.find(later.event)
    }
    return true
  }

  /// Returns the positions before the device's second aim, once it is certain that the trace has
  /// neither of the two; nil otherwise, or if the trace has no servo events.
  private func contradiction(at now: Instant) -> (expected: Int, found: Int)? {
    guard let early, let aim = laterAim, now - aim > window,
      let index = found.firstIndex(where: { $0.event.time == aim }),
      expected.contains(where: { $0.event.output?.kind == .servo })
    else { return nil }
    let start = aim.nanoseconds - early.nanoseconds
    let later = expected.firstIndex { $0.event.time.nanoseconds >= start }
    return ((later ?? expected.endIndex) - 1, index - 1)
  }

  private func isSame(_ a: Event, _ b: Event) -> Bool {
    a.output == b.output && (a.time - b.time).magnitude <= window
  }
}
