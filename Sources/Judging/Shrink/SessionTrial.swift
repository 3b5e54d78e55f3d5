package import Devices
package import Sketches
package import Traces

/// A session that is being run and judged. A copy is a snapshot, from which another session with
/// the same beginning can continue.
package protocol SessionTrial: Sendable {
  /// Takes the next of the session's inputs, in order of time.
  mutating func take(_ event: Event)
  /// Advances to an instant. All further inputs are later.
  mutating func pass(to instant: Instant)
  /// Ends the session. Returns how it fails; nil if it does not.
  mutating func finish(at end: Instant) -> SessionFailure?
  /// Lets the session end early: see `Simulation`. How it fails is then not known.
  mutating func end(when isOver: (@Sendable () -> Bool)?)
  /// Whether it has ended early.
  var isCut: Bool { get }
  /// Why the device no longer works; nil while it does.
  var fault: DeviceError? { get }
  /// What the session showed so far; nil if that is not kept.
  var traits: SessionTraits? { get }
  /// Keeps what the session shows from now on. That takes time.
  mutating func keepTraits()
  /// Whether a byte was lost because the board was starting up, which is not held against it.
  var lostAtStart: Bool { get }
}

/// How a session fails.
package struct SessionFailure: Hashable, Sendable {
  /// What is the same if another session fails in the same way.
  package enum Cause: Hashable, Sendable {
    /// A rule, by its number in the list, and how it fails.
    case rule(Int, RuleFailure.Cause)
    /// Two devices differ in this kind of output.
    case output(Output.Kind)
    /// The program crashed.
    case crash
  }

  /// All ways in which it fails, the first of them first.
  package var causes: [Cause]
  /// When that was certain; nil if only the end shows it.
  package var time: Instant?
  /// The first of them in words, as lines.
  package var lines: [String]
  /// Each of them in words; empty if there is only one.
  package var details: [Cause: [String]] = [:]

  package init(causes: [Cause], time: Instant?, lines: [String]) {
    self.causes = causes
    self.time = time
    self.lines = lines
  }
}

/// Runs sessions one after the other, each from the last snapshot that it shares with the one
/// before it.
package struct SnapshotRuns<Trial: SessionTrial>: Sendable {
  /// How many snapshots of a session are kept at most.
  private static var countMax: Int { 32 }
  /// How many inputs there are between two snapshots at least: a snapshot costs about as much as a
  /// few inputs.
  private static var strideMin: Int { 16 }

  /// The trials of a board that starts at time 0, and of one that was already running.
  private var start: Trial
  private var running: Trial?
  /// The snapshots of the last session, each with the number of inputs that it has taken.
  private var snapshots: [(count: Int, trial: Trial)] = []
  private var last: SessionInputs?
  /// A board that has started up; nil if none was needed yet.
  private var started: Trial?
  /// Why the device no longer worked in the last session; nil if it did.
  package private(set) var fault: DeviceError?
  /// What the last session showed; nil if that is not kept.
  package private(set) var traits: SessionTraits?
  /// Whether a session in which the program crashes is one that fails.
  package var findsCrashes = false
  /// Returns whether the session that is being run is to end early; nil for none.
  package var isOver: (@Sendable () -> Bool)?
  /// Whether a byte of a session was lost because the board was starting up.
  package private(set) var lostAtStart = false
  /// Whether the last session ended early: how it fails is not known.
  package private(set) var wasCut = false

  package init(_ start: Trial, running: Trial? = nil) {
    self.start = start
    self.running = running
  }

  /// Returns the same runs, which also keep what sessions show. That takes time.
  package func keepingTraits() -> SnapshotRuns {
    var runs = self
    runs.start.keepTraits()
    runs.running?.keepTraits()
    (runs.snapshots, runs.last, runs.started) = ([], nil, nil)
    // Each copy continues from the same board that has started up.
    _ = runs.startedUp()
    return runs
  }

  /// Runs a session. Returns how it fails; nil if it does not, or was cut. `next`: how many of its
  /// first inputs the next one has, too; 0 if that is not known.
  package mutating func run(_ session: SessionInputs, sharing next: Int = 0) -> SessionFailure? {
    let events = session.events
    var shared = 0
    if let last, last.isRunning == session.isRunning {
      let count = min(last.events.count, events.count)
      while shared < count, last.events[shared] == events[shared] { shared += 1 }
    }
    snapshots.removeLast(snapshots.count - snapshots.partitioningIndex { $0.count > shared })
    var (count, trial) = snapshots.last ?? (0, first(of: session))
    trial.end(when: isOver)
    last = session
    let stride = max(Self.strideMin, events.count / Self.countMax)
    while count < events.count {
      let kept = snapshots.last?.count ?? 0
      if count - kept >= stride || count == next && kept < next { snapshots.append((count, trial)) }
      trial.take(events[count])
      count += 1
    }
    let failure = trial.finish(at: max(session.end, events.last?.time ?? .zero))
    wasCut = trial.isCut
    guard !wasCut else {
      (snapshots, last, fault, traits) = ([], nil, nil, nil)
      return nil
    }
    fault = trial.fault
    traits = trial.traits
    if trial.lostAtStart { lostAtStart = true }
    if findsCrashes, let crash = fault, crash.code == .crashed {
      fault = nil
      return SessionFailure(causes: [.crash], time: nil, lines: [crash.description])
    }
    return failure
  }

  /// Returns a trial that has taken nothing: of a board that has started up, if the session leaves
  /// it the time.
  private mutating func first(of session: SessionInputs) -> Trial {
    if session.isRunning, let running { return running }
    guard session.events.first.map({ $0.time > Self.ready }) ?? false else { return start }
    return startedUp()
  }

  private static var ready: Instant { Shrinker.start - .nanoseconds(1) }

  /// Returns a trial of a board that has started up.
  private mutating func startedUp() -> Trial {
    if let started { return started }
    var trial = start
    trial.end(when: isOver)
    trial.pass(to: Self.ready)
    if !trial.isCut { started = trial }
    return trial
  }
}

/// A session on a device, judged by rules.
package struct RuleTrial<D: Device>: SessionTrial {
  private var replay: Replay<D>
  private var rules: SessionRules
  /// The events of one step.
  private var events: [Event] = []
  package private(set) var traits: SessionTraits?
  package private(set) var lostAtStart = false

  /// `setup` names the kinds of output that the session shows. `device` is at its start.
  package init(_ device: D, _ rules: SessionRules, _ setup: SessionSetup) {
    replay = Replay(device, until: nil, kinds: setup.observes)
    self.rules = rules
  }

  package mutating func keepTraits() {
    traits = SessionTraits()
    replay.simulation.device.followBranches()
  }

  package var fault: DeviceError? { replay.simulation.fault }
  package var isCut: Bool { replay.simulation.cut != nil }

  package mutating func end(when isOver: (@Sendable () -> Bool)?) {
    replay.simulation.isOver = isOver
  }

  package mutating func take(_ event: Event) {
    if traits != nil {
      pass(to: event.time)
      traits?.take(event, on: replay.simulation.device)
    }
    replay.take(event) { events.append($0) }
    judge()
  }

  package mutating func pass(to instant: Instant) {
    replay.pass(to: instant) { events.append($0) }
    judge()
  }

  package mutating func finish(at end: Instant) -> SessionFailure? {
    replay.finish(after: end) { events.append($0) }
    judge()
    traits?.takeBranches(of: replay.simulation.device)
    let report = rules.finish(at: end, sender: nil)
    return rules.record.keepsCommands ? SessionFailure(report, in: rules.rules) : nil
  }

  private mutating func judge() {
    for event in events {
      if case .lost(_, .booting)? = event.output { lostAtStart = true }
      rules.take(event)
      traits?.take(event)
    }
    traits?.look(at: replay.simulation.device)
    events.removeAll(keepingCapacity: true)
  }
}

extension SessionFailure {
  /// The failure of rules that the session tested; nil if there is none.
  init?(_ report: RuleReport, in rules: [Rule]) {
    let tested = report.failures.filter { $0.cause.isTested }
    guard let first = tested.first else { return nil }
    self.init(causes: [], time: first.time, lines: first.lines)
    for failure in tested {
      guard let index = rules.firstIndex(of: failure.rule) else { continue }
      causes.append(.rule(index, failure.cause))
      details[.rule(index, failure.cause)] = failure.lines
    }
  }
}

/// A session on two devices, which fails if their outputs differ.
package struct DifferenceTrial<D: Device, Other: Device>: SessionTrial {
  /// Both devices advance by this much at a time, so that few outputs wait to be compared.
  private static var slice: Interval { .seconds(1) }

  private var own: Simulation<D>
  private var other: Simulation<Other>
  private var comparison: Comparison
  package private(set) var traits: SessionTraits?
  package var lostAtStart: Bool { false }

  /// Compares these kinds of output. Both devices are at their start.
  package init(_ own: D, _ other: Other, kinds: Set<Output.Kind>, tolerance: Interval) {
    self.own = Simulation(own)
    self.other = Simulation(other)
    comparison = Comparison(
      kinds: kinds, tolerance: tolerance, comparesAllPins: true, countsDifferences: false,
      keepsLines: false)
  }

  package mutating func keepTraits() {
    traits = SessionTraits()
    own.device.followBranches()
    other.device.followBranches()
  }

  package var fault: DeviceError? { own.fault ?? other.fault }
  package var isCut: Bool { own.cut != nil || other.cut != nil }

  package mutating func end(when isOver: (@Sendable () -> Bool)?) {
    own.isOver = isOver
    other.isOver = isOver
  }

  package mutating func take(_ event: Event) {
    pass(to: event.time)
    // The first difference decides.
    if comparison.hasDiverged { return }
    traits?.take(event, on: own.device)
    own.feed(event)
    other.feed(event)
  }

  package mutating func pass(to instant: Instant) {
    while own.now < instant, !comparison.hasDiverged {
      step(to: min(instant, own.now + Self.slice))
    }
    // Also what a restart has put out at the instant itself.
    if !comparison.hasDiverged { step(to: instant) }
  }

  package mutating func finish(at end: Instant) -> SessionFailure? {
    pass(to: end + max(own.lag, other.lag))
    traits?.takeBranches(of: own.device)
    traits?.takeBranches(of: other.device, side: 1)
    comparison.finish(at: end, line: 1)
    guard let divergence = comparison.divergence,
      let kind = (divergence.expected?.event ?? divergence.found)?.output?.kind
    else { return nil }
    return SessionFailure(
      causes: [.output(kind)], time: divergence.time, lines: [Self.text(of: divergence)])
  }

  /// What the device does, and what the reference does instead.
  private static func text(of divergence: Divergence) -> String {
    func text(_ event: Event?) -> String? {
      event.map { "\($0.output?.description ?? "nothing") at \(Divergence.seconds($0.time))" }
    }
    let (device, reference) = (text(divergence.found), text(divergence.expected?.event))
    let kind = (divergence.found ?? divergence.expected?.event)?.output?.kind.name ?? "output"
    let none = "shows no \(kind) then"
    return "the device \(device.map { "shows \($0)" } ?? none), "
      + "the reference \(reference.map { device == nil ? "shows \($0)" : $0 } ?? none)"
  }

  private mutating func step(to instant: Instant) {
    while other.step(to: instant) {
      for seen in other.outputs { comparison.expect(Event(seen.time, seen.output), line: 1) }
    }
    while own.step(to: instant) {
      for seen in own.outputs {
        comparison.find(Event(seen.time, seen.output))
        traits?.take(Event(seen.time, seen.output))
      }
    }
    traits?.look(at: own.device)
    comparison.settle(before: instant - max(own.lag, other.lag), line: 1)
  }
}
