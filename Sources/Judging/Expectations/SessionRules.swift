import Devices
package import Sketches
package import Traces

/// Judges a session by rules: takes its events as they happen, and reports at its end.
package struct SessionRules: Sendable {
  package let rules: [Rule]
  package var record: SessionRecord
  private var judges: [RuleJudge]
  private let stretch: Int
  /// The judges of the rules that name a trace, by the rules' indices.
  private var goldens: [(rule: Int, judge: TraceJudge)] = []

  /// `stretch`: how much is taken until the record is shortened. `open` opens the traces that rules
  /// name. Throws if a rule cannot be judged in such a session.
  package init(
    _ rules: [Rule], _ setup: SessionSetup, stretch: Int = SessionRecord.stretch,
    open: (String) throws(TraceError) -> TraceReader
  ) throws(TraceError) {
    self.rules = rules
    self.stretch = stretch
    judges = rules.map { RuleJudge($0) }
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

  /// Takes the session's next event, in order of time. `line` is its line in a trace; nil if it is
  /// the next one.
  package mutating func take(_ event: Event, line: Int? = nil) {
    record.take(event, line: line)
    for index in goldens.indices { goldens[index].judge.take(event) }
    if record.load >= stretch {
      let tail = judges.map { $0.tail }.max() ?? 0
      record.shorten(tail: tail) { judges.settle($0, before: $1) }
    }
  }

  /// Returns the instant until which a session whose sender is done at `now` must continue, so that
  /// its last rules are decided.
  package func settles(from now: Instant) -> Instant {
    goldens.reduce(deadline(of: judges, from: now)) { max($0, $1.judge.settles(from: now)) }
  }

  /// Returns the instant until which a session that has reached `now` must continue, so that the
  /// pulses that have begun and that rules are about have ended, or are longer than they may be.
  package func pulsesEnd(from now: Instant) -> Instant {
    deadline(of: judges.filter { !$0.rule.pinNames.isEmpty }, from: now)
  }

  private func deadline(of judges: [RuleJudge], from now: Instant) -> Instant {
    guard !judges.isEmpty else { return now }
    var record = record
    record.advance(to: now)
    return judges.reduce(now) { max($0, $1.deadline(in: record)) }
  }

  /// Ends the session. `sender` is how its process ended; nil if there was none.
  package mutating func finish(at end: Instant, sender: SenderOutcome?) -> RuleReport {
    record.finish(at: end)
    var failures: [Int: RuleFailure] = [:]
    for index in goldens.indices {
      let rule = goldens[index].rule
      failures[rule] = goldens[index].judge.finish(at: end).failure(of: rules[rule])
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
        switch RuleJudge(rule, .next, from: RuleJudge.Place(command: start)).decide(record) {
        case .open(let until): return until ?? .zero
        case .fails: return .zero
        case .holds: continue
        }
      }
      guard let waiting = progress.waiting else { return .zero }
      return limit(of: reach, after: waiting.command).unlessNever ?? .zero
    case .quiet(let length):
      return max(record.lastByte ?? .zero, record.lastOutput ?? .zero) + length
    case .faults(.recovers(let limit)): return record.recovery(within: limit)
    // Anything else is decided by what has happened.
    default: return .zero
    }
  }
}

extension Verdict {
  /// Returns the failure of the rule that named the trace; nil if the session agrees with it.
  fileprivate func failure(of rule: Rule) -> RuleFailure? {
    var failure = RuleFailure(rule: rule, cause: .untested)
    switch outcome {
    case .agrees: return nil
    case .diverges(let divergence):
      return RuleFailure(
        rule: rule, notes: ["line \(divergence.line): \(divergence.message)"],
        time: divergence.time, events: divergence.done,
        broken: divergence.found.flatMap { found in
          divergence.done.firstIndex { $0.contains(found) }
        })
    case .nothingToCompare, .cannotObserve, .undecided:
      failure.notes = outcome.openReason.map { ["undecided: \($0)"] } ?? []
    case .deviceFailed(let error): failure.notes = [error.description]
    }
    return failure
  }
}
