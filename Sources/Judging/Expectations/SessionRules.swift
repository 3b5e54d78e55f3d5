import Devices
package import Sketches
package import Traces

/// Judges a session by rules: takes its events as they happen, and reports at its end.
package struct SessionRules: Sendable {
  package let rules: [Rule]
  private var record: SessionRecord
  private var judges: RuleJudges
  /// How much is taken until the record is shortened.
  private let stretch: Int
  /// The judges of the rules that name a trace, by the rules' indices.
  private var goldens: [(rule: Int, judge: TraceJudge)] = []

  /// `open` opens the traces that rules name. Throws if a rule cannot be judged in such a session.
  package init(
    _ rules: [Rule], _ setup: SessionSetup, stretch: Int = SessionRecord.stretch,
    open: (String) throws(TraceError) -> TraceReader
  ) throws(TraceError) {
    self.rules = rules
    self.stretch = stretch
    judges = RuleJudges(rules)
    for rule in rules {
      guard let objection = rule.objection(in: setup) else { continue }
      throw TraceError(.malformed, path: rule.place, objection)
    }
    record = SessionRecord(setup)
    for (index, rule) in rules.enumerated() {
      guard case .golden(let golden) = rule.requirement else { continue }
      var reader = try open(golden.path)
      let judge = try TraceJudge(
        expected: &reader, setup, tolerance: golden.tolerance, gapMax: golden.gaps)
      goldens.append((index, judge))
    }
  }

  /// Whether the trace of the session has no lines for its pulses.
  package var hidesPulses: Bool {
    get { record.hidesPulses }
    set { record.hidesPulses = newValue }
  }

  /// Takes the session's next event, in order of time. `line` is its line in a trace; nil if it is
  /// the next one.
  package mutating func take(_ event: Event, line: Int? = nil) {
    record.take(event, line: line)
    for index in goldens.indices { goldens[index].judge.take(event) }
    if record.load >= stretch {
      record.shorten(tail: judges.tail) { judges.settle($0, before: $1) }
    }
  }

  /// How much of the session is kept: the number of events.
  var keptCount: Int { record.events.count }

  /// Takes that a program reads at a wrong speed, which no event shows.
  package mutating func note(_ wrong: WrongSpeed) { record.note(wrong) }

  /// Takes the speed that the program on the board has set, in bits a second.
  package mutating func note(boardBaud: Int) { record.note(boardBaud: boardBaud) }

  /// Returns the instant until which a session whose sender is done at `now` must continue, so that
  /// its last rules are decided.
  package func settles(from now: Instant) -> Instant {
    var record = record
    record.advance(to: now)
    var last = now
    for judge in judges.judges { last = max(last, judge.deadline(in: record)) }
    for golden in goldens { last = max(last, golden.judge.settles(from: now)) }
    return last
  }

  /// Returns the instant until which a session that has reached `now` must continue, so that the
  /// pulses that have begun and that rules are about have ended, or are longer than they may be.
  package func pulsesEnd(from now: Instant) -> Instant {
    let named = judges.judges.filter { !$0.rule.pinNames.isEmpty }
    guard !named.isEmpty else { return now }
    var record = record
    record.advance(to: now)
    return named.reduce(now) { max($0, $1.deadline(in: record)) }
  }

  /// Ends the session. `sender` is how its process ended; nil if there was none.
  package mutating func finish(at end: Instant, sender: SenderOutcome?) -> RuleReport {
    record.finish(at: end)
    var failures: [Int: RuleFailure] = [:]
    for index in goldens.indices {
      let verdict = goldens[index].judge.finish(at: end)
      guard !verdict.agrees else { continue }
      let rule = goldens[index].rule
      failures[rule] = verdict.failure(of: rules[rule])
      if case .diverges = verdict.outcome { continue }
      failures[rule]?.cause = .untested
    }
    return RuleReport(judges, record, sender: sender, goldens: failures)
  }
}

extension RuleJudge {
  /// Returns when the rule is decided at the latest if nothing more is sent; zero if it is already
  /// decided, or only the end decides.
  fileprivate func deadline(in record: SessionRecord) -> Instant {
    if progress.decision != nil { return .zero }
    switch rule.requirement {
    case .reaches(let reach):
      if reach.isAboutAll { return .zero }
      guard let pattern = reach.command else {
        guard case .open(let until) = decide(record) else { return .zero }
        return until ?? .zero
      }
      guard reach.within != nil || reach.before != nil else { return .zero }
      // A later command has a later deadline, and a failure decides the rule.
      for (_, start) in record.attempts(at: pattern, from: progress.command).reversed() {
        var place = RuleJudge.Place()
        place.command = start
        switch RuleJudge(rule, .next, from: place).decide(record) {
        case .open(let until): return until ?? .zero
        case .fails: return .zero
        case .holds: continue
        }
      }
      return waitingLimit.flatMap { $0 == .distantFuture ? nil : $0 } ?? .zero
    case .quiet(let length):
      return max(record.lastByte ?? .zero, record.lastOutput ?? .zero) + length
    case .faults(.recovers(let limit)): return record.recovery(within: limit)
    // Anything else is decided by what has happened.
    default: return .zero
    }
  }
}

extension Verdict {
  /// Returns the failure of the rule that named the trace.
  fileprivate func failure(of rule: Rule) -> RuleFailure {
    switch outcome {
    case .agrees: RuleFailure(rule: rule, notes: [], events: [])
    case .diverges(let divergence):
      RuleFailure(
        rule: rule, notes: ["line \(divergence.line): \(divergence.message)"],
        time: divergence.time, events: divergence.done,
        broken: divergence.found.flatMap { found in
          divergence.done.firstIndex { $0.contains(found) }
        })
    case .nothingToCompare, .cannotObserve, .undecided:
      RuleFailure(
        rule: rule, notes: outcome.openReason.map { ["undecided: \($0)"] } ?? [], events: [])
    case .deviceFailed(let error): RuleFailure(rule: rule, notes: [error.description], events: [])
    }
  }
}
