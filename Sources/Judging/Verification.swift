package import Devices
package import Sketches
package import Traces

/// Replays traces on a device and compares its outputs with what the traces expect.
package struct Verification: Sendable {
  /// Replaces the trace's own firmware; nil to keep it.
  package var firmware: Firmware?
  /// Replaces the trace's own tolerance; nil to keep it.
  package var tolerance: Interval?

  package init() {}

  /// Verifies a trace on a device of the source. `progress` is called with the bytes read so far.
  package func verify<Source: DeviceSource>(
    _ reader: inout TraceReader, on source: Source = ModelSource(),
    progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    let firmware = try source.firmware(of: header, in: reader.path, unless: firmware)
    // A missing device shows nothing at all, so it is reported first.
    do throws(DeviceError) {
      try source.check()
    } catch {
      return Verdict(.deviceFailed(error))
    }
    // Reported before a session in real time begins, if the trace can be searched beforehand.
    let hidden = Set(Output.Kind.allCases).subtracting(source.observes(firmware))
    var missing = header.expects?.intersection(hidden)
    if missing == nil {
      missing = try reader.kindsOfOutput(among: hidden.subtracting(Output.Kind.ofServoPins))
    }
    if let missing, !missing.isEmpty { return Verdict(.cannotObserve(missing)) }
    let showsPulses = try reader.hasPulses
    let device: Source.Made
    do throws(DeviceError) {
      device = try source.makeDevice(for: header, firmware: firmware, showsPulses: showsPulses)
    } catch {
      return Verdict(.deviceFailed(error))
    }
    var verdict = try verify(&reader, on: device, timing: source.timing, progress: progress)
    verdict.drift?.modelStep = (source.timing ?? firmware.sketch.timing).step
    return verdict
  }

  /// Verifies the reader's trace on the caller's own device, at the start of its session. `timing`
  /// contains the figures of another build, if the device uses them; nil for the measured ones.
  // Otherwise each step would look up the types' metadata, which takes a tenth of a verification's
  // time.
  @_specialize(where D == Model)
  package func verify<D: Device>(
    _ reader: inout TraceReader, on device: D, timing: Timing? = nil,
    progress: (Int) -> Void = { _ in }
  ) throws(TraceError) -> Verdict {
    let header = reader.header
    var device = device
    let capabilities = device.capabilities
    if capabilities.observes.contains(.pin) { device.watch(try reader.levelPins) }
    if let expects = header.expects, !expects.isSubset(of: capabilities.observes) {
      return Verdict(.cannotObserve(expects.subtracting(capabilities.observes)))
    }
    let clock = capabilities.clock == .host ? .host : header.clock
    let tolerance = tolerance ?? header.tolerance(on: clock)
    // On a running board the phase of the pulses is unknown, and an aim does not reveal whether the
    // board reports its writes.
    let ignored: Set<Output.Kind> =
      header.start == .unknown || capabilities.start == .unknown ? [.pulse, .transmit] : []
    let sweeps = SessionSetup(
      firmware: header.firmware(unless: firmware), timing: timing, baud: header.baud,
      start: header.start)
    let comparison = Comparison(
      kinds: header.expects, ignoring: ignored, tolerance: tolerance,
      times: clock == .host ? .computer(sweeps: sweeps) : .board)
    var run = VerificationRun(device, tolerance: tolerance, comparison, header: header)
    // A pipe could not be searched beforehand. Indexed by the kind's number, because a set would
    // hash the kind of each output.
    let observes = device.capabilities.observes
    let isHidden = Output.Kind.allCases.map { header.expects == nil && !observes.contains($0) }
    let isLeftOut = Output.Kind.allCases.map {
      isHidden[$0.rawValue] && Output.Kind.ofServoPins.contains($0)
    }
    let isRealTime = capabilities.clock == .host
    var count = 0
    while let event = try reader.next() {
      if let kind = event.output?.kind, isLeftOut[kind.rawValue] { continue }
      run.take(event, line: reader.line)
      if isRealTime, let fault = run.fault { return Verdict(.deviceFailed(fault)) }
      if let kind = event.output?.kind, isHidden[kind.rawValue] {
        return Verdict(.cannotObserve([kind]))
      }
      count += 1
      if count & 0xFFF == 0 { progress(reader.bytesRead) }
    }
    return run.finish(lastEvent: reader.time)
  }
}

/// The result of verifying one trace.
package struct Verdict: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case agrees
    case diverges(Divergence)
    /// The trace expects nothing. A check that cannot fail is not a check.
    case nothingToCompare(String)
    /// The device cannot show what the trace expects.
    case cannotObserve(Set<Output.Kind>)
    /// The recording cannot decide, and why: uncertain times, or what would decide is not in it.
    case undecided(String)
    /// The device is missing or was lost during the session, so the trace was not judged.
    case deviceFailed(DeviceError)

    /// Why nothing was decided, to follow a colon; nil if something was, or if the device failed.
    package var openReason: String? {
      switch self {
      case .undecided(let why): why
      case .nothingToCompare(let why): "there is nothing to compare: \(why)"
      case .cannotObserve(let kinds):
        "the trace expects what this device cannot show: "
          + kinds.map { $0.name }.sorted().joined(separator: ", ")
      case .agrees, .diverges, .deviceFailed: nil
      }
    }
  }

  package var outcome: Outcome
  package var tally: Tally
  /// The largest deviation of a matching output.
  package var worst: Interval
  /// The fit of the clock, for a trace stamped by a computer.
  package var fit: ClockFit?
  /// How the device's sweep drifts relative to the trace's; nil if it does not.
  package var drift: SweepDrift?
  /// What the sketch was doing when the divergence was noticed.
  package var activity: Activity?
  /// The number of bytes waiting in the ring at that moment.
  package var waitingCount: Int?
  /// When the divergence was noticed.
  package var noticed: Instant?
  /// In a live session, the sender's gap that differs most from the trace's; nil if there is none.
  package var largestGap: GapDifference?
  /// In a live session, the aims that a newer one replaced, and the `L`s that were merged.
  package var replaced = 0
  package var merged = 0
  /// What many worlds showed, if the trace's times are uncertain.
  package var worlds: WorldFindings?
  /// Remarks about the program that ran on the device.
  package var remarks: [String] = []

  package var agrees: Bool { outcome == .agrees }
  /// Whether nothing was compared, at the recorded times and in all worlds.
  package var comparesNothing: Bool {
    if case .nothingToCompare = outcome { return true }
    if case .undecided = outcome, let worlds { return worlds.undecided == worlds.count }
    return false
  }

  package init(
    _ outcome: Outcome, tally: Tally = Tally(), worst: Interval = .zero, fit: ClockFit? = nil
  ) {
    self.outcome = outcome
    self.tally = tally
    self.worst = worst
    self.fit = fit
  }
}

/// The run of one trace through a device.
struct VerificationRun<D: Device> {
  private static var watchfulSlice: Interval { .milliseconds(20) }

  private let tolerance: Interval
  private let end: Instant?
  /// Outputs after this instant are discarded.
  private var last = Instant.distantFuture
  private let expected: Set<Output.Kind>?
  private var simulation: Simulation<D>
  private var comparison: Comparison
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
    _ device: D, tolerance: Interval, _ comparison: Comparison, header: Header,
    ledger: Ledger? = nil
  ) {
    self.tolerance = tolerance
    self.comparison = comparison
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
      if Self.isComparable(event, from: fixed) { comparison.expect(event, line: line) }
    } else {
      if let kind = event.output?.kind { unfixed.insert(kind) }
      fix?.expect(event, line: line)
      tryToFix()
    }
    settle()
  }

  /// Why the device no longer works; nil while it does.
  var fault: DeviceError? { simulation.fault }

  /// Returns the fates of the bytes, after `finish`.
  mutating func finishLedger() -> Ledger { simulation.finishLedger() }

  mutating func finish(lastEvent: Instant) -> Verdict {
    let end = end ?? lastEvent
    if simulation.lag > .zero { last = end + tolerance }
    advance(to: end + tolerance + simulation.lag)
    if fix == nil { comparison.finish(at: end, line: line) }
    notice()
    var verdict = comparison.verdict
    if let fault {
      verdict = Verdict(.deviceFailed(fault))
    } else if let objection {
      verdict = Verdict(.nothingToCompare(objection))
    } else {
      verdict.drift = comparison.drift
      verdict.activity = noticed?.activity
      verdict.waitingCount = noticed?.waitingCount
      verdict.noticed = noticed?.time
    }
    verdict.remarks = simulation.device.remarks
    return verdict
  }

  /// Why there was nothing to compare; nil if there was something.
  private var objection: String? {
    if fix != nil { return whyUnfixed }
    if outputs == 0, expected == nil {
      return "it has no outputs, and no \"expects\" that says there are none"
    }
    if outputs == 0 || comparison.hasDiverged || comparison.tally.matched > 0 { return nil }
    return "all its outputs are within one tolerance of the end, or before the board's state was "
      + "known"
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
    comparison.settle(before: simulation.now - simulation.lag, line: line)
    notice()
  }

  /// Records what the sketch was doing when a divergence is first noticed.
  private mutating func notice() {
    guard noticed == nil, comparison.hasDiverged, let divergence = comparison.divergence,
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
    while next < end, !comparison.hasDiverged {
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
        if Self.isComparable(event, from: fixed) { comparison.find(event) }
      }
    }
  }

  /// Whether an event can be compared: the end of a tone that began before a running board's state
  /// was `fixed` cannot. Static, because to call a method would copy the whole run for each event.
  private static func isComparable(_ event: Event, from fixed: Instant?) -> Bool {
    guard let fixed, event.output?.kind == .tone else { return true }
    return event.time > fixed + Retiming.toneMax
  }

  private mutating func tryToFix() {
    guard fix?.hand(to: &comparison, at: simulation.now) == true else { return }
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

  /// Takes the device's next output. `isAim`: whether it is no step of a sweep; nil if unknown.
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

  /// Whether the state is fixed at `now`. If so, passes the later events on to `comparison`.
  func hand(to comparison: inout Comparison, at now: Instant) -> Bool {
    guard let match = match ?? contradiction(at: now) else { return false }
    for later in expected[(match.expected + 1)...] where later.event.output?.kind != .tone {
      comparison.expect(later.event, line: later.line)
    }
    for later in found[(match.found + 1)...] where later.event.output?.kind != .tone {
      comparison.find(later.event)
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
