import Devices
import Engine
import Judging
import Platform
import Sketches
import Traces

/// Runs a scenario in virtual time: its sender is a list of bytes, or a rig.
struct VirtualSession {
  let test: SuiteTest
  /// How much of the computer's time the session can take if its scenario states none; nil or zero
  /// for any.
  var timeout: Interval?
  /// Whether the session is kept as a trace if it fails.
  let keepsTrace: Bool
  /// Whether a trace that the session disagrees with is rewritten.
  let updates: Bool
  /// The longest session that is kept; nil for any.
  var keptMax: Interval?
  /// Whether the suite ends.
  var isEnding: @Sendable () -> Bool = { SignalQueue.isEnding }

  private var scenario: Scenario { test.scenario }

  func run(on source: any DeviceSource) -> SuiteResult {
    let stopwatch = ContinuousClock().now
    let limit = scenario.timeout ?? timeout
    let run = RunLimit(limit == .zero ? nil : limit, isEnding: isEnding)
    var result: SuiteResult
    do {
      result = try judge(on: source, run)
    } catch let cut as SessionCut {
      result = cut.result
    } catch {
      result = SuiteResult(Failure(any: error))
    }
    result.elapsed = ContinuousClock().now - stopwatch
    return result
  }

  /// Lets the turret of a rig follow a face.
  private func judge(
    _ rig: Notation, on source: some DeviceSource, _ limit: RunLimit
  ) throws -> SuiteResult {
    let seed = scenario.seed.map { [(path: "seed", value: "\($0)")] } ?? []
    var file = try RigDocument(rig, in: test.path).rig(seed)
    if let device = file.device {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place, "the rig states the device \(device); in a scenario, \"device\" does"
        ).text(in: test.path))
    }
    var scenario = scenario
    scenario.rules = test.rules(updates: updates)
    RigParser.add(scenario, to: &file)
    let end = try checked(.zero + file.plan.length)
    let keepsTrace = keepsTrace && isKept(until: end)
    let choice = DeviceChoice(source, firmware: nil, name: source.name)
    var run = RigRun(test.path) { _ in choice }
    run.limit = limit
    let outcome = try run.result(of: file, choice, keepsTrace: keepsTrace || updates)
    var result = SuiteResult(.passed)
    if let report = outcome.report {
      result.ruleCount = report.rules.count
      for failure in report.failures { result.add(SuiteFailure(failure)) }
    }
    if updates { try result.update(test) { outcome.text } }
    if keepsTrace, result.status != .agree { result.trace = outcome.text }
    return result
  }

  private func judge(
    on source: some DeviceSource, _ limit: RunLimit
  ) throws -> SuiteResult {
    if case .rig(let rig) = scenario.sender { return try judge(rig, on: source, limit) }
    guard source.isVirtual else {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place,
          "\"send\" requires a device in virtual time; with a board, use \"run\""
        ).text(in: test.path))
    }
    let plan = SessionPlan(try test.stated(), on: source)
    var start = try plan.begin(on: source)
    var session = Session(start)
    session.end { limit.isOver }
    session.rules = try SessionRules(test.rules(updates: updates), start.setup) {
      (path) throws(TraceError) in
      var reader = try TraceReader(path: test.resolved(path))
      try reader.limit(to: SessionLimit(remedy: "a session cannot be judged by a longer one"))
      return reader
    }
    let initial = start.device
    var inputs: [Event] = []
    var events: [Event] = []
    func take(_ event: Event) {
      if event.isInput { inputs.append(event) }
      if updates || keepsTrace && isKept(until: event.time) { events.append(event) }
    }
    guard case .bytes(let sent) = scenario.sender else { return SuiteResult(.passed) }
    let format = source.findFormat()
    session.begin([]) { take($0) }
    if format != .standard { session.take(listed: Event(.zero, .format(format)), take) }
    func advance(to end: Instant) throws(SessionCut) {
      session.advance(to: end, take)
      if let cut = session.cut { throw SessionCut(limit, at: cut) }
    }
    for part in sent {
      try advance(to: (part.time - .microseconds(1)).roundedUpToMicrosecond)
      session.take(listed: Event(part.time, part.kind), take)
    }
    let end: Instant
    if let length = scenario.length {
      end = try checked(.zero + length)
    } else {
      // Faults can let bytes arrive later.
      let sentEnd = scenario.sentEnd(baud: plan.baud)
      let arrived = session.faults?.arrivalEnd(after: sentEnd, limit: .zero + SessionLimit.usual)
      let rest = try checked((arrived ?? sentEnd) + Self.rest)
      try advance(to: rest)
      let decided = try checked(session.settles(from: rest))
      try advance(to: decided)
      end = try checked(session.rules?.pulsesEnd(from: decided) ?? decided)
    }
    try advance(to: (end - .microseconds(1)).roundedUpToMicrosecond)
    session.finish(at: end, isMarked: false, take)
    if let cut = session.cut { throw SessionCut(limit, at: cut) }
    let fault = session.board.fault
    if let fault, fault.code != .crashed { throw fault }
    start.header.set(duration: end - .zero)
    var result = SuiteResult(.passed)
    if let fault { result.add(SuiteFailure(Failure(fault).message)) }
    result.unstruck = session.unstruck
    result.unstruckNote = session.unstruckNote
    if var report = session.ruleReport(sender: nil) {
      if report.isLate { report.explainLate(inputs, on: initial) }
      result.ruleCount = report.rules.count
      for failure in report.failures { result.add(SuiteFailure(failure)) }
      if !report.failures.isEmpty {
        let notes = source.speedNotes(
          at: plan.baud, speed: source.findSpeed(), "the scenario's bytes are sent")
        result.wrongSpeed = report.wrongSpeed?.text ?? notes.first
      }
      result.meant = report.meant
    }
    if updates { try result.update(test) { Self.text(start.header, events) } }
    if keepsTrace, isKept(until: end), result.status != .agree {
      result.trace = Self.text(start.header, events)
    }
    return result
  }

  private func isKept(until end: Instant) -> Bool { keptMax.map { end <= .zero + $0 } ?? true }

  /// How long the session continues after the last byte, unless a rule needs more.
  private static let rest = Interval.seconds(2)

  /// Returns the session's end. Throws if the session is longer than a day.
  private func checked(_ end: Instant) throws(Failure) -> Instant {
    guard end - .zero <= SessionLimit.usual else {
      throw Failure(
        .malformed,
        NotationError(
          scenario.place,
          "expected a session of at most a day, found one of \(String(readable: end - .zero))"
        ).text(in: test.path))
    }
    return end
  }

  private static func text(_ header: Header, _ events: [Event]) -> [UInt8] {
    var text: [UInt8] = []
    text.appendLine(header)
    for event in events { text.appendLine(event) }
    return text
  }
}

/// Why a session was cut short: the end of the suite, or the computer's time that it took.
enum SessionCut: Error, Hashable {
  case ended
  /// It took longer than the limit, and had come to an instant of its own time.
  case late(Interval, at: Instant)

  /// - Parameter now: how far a session with this limit had come.
  init(_ limit: RunLimit, at now: Instant) {
    self = limit.time.flatMap { limit.isEnded ? nil : .late($0, at: now) } ?? .ended
  }

  var result: SuiteResult {
    switch self {
    case .ended: SuiteResult(.ended)
    case .late(let limit, let now):
      SuiteResult(
        .failed([
          SuiteFailure(
            "the session was stopped after \(String(shortest: limit)) s (timeout), at "
              + "\(String(shortest: now - .zero)) s of its own time")
        ]))
    }
  }
}
