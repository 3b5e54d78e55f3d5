package import Sketches
import Traces

// What a judge takes from a session before the record drops it.
extension RuleJudge {
  /// What a judge knows of the part of a session that is over. Without it, a judge has not settled
  /// anything yet.
  struct Progress: Hashable, Sendable {
    /// The decision, if nothing that follows can change it.
    var decision: Decision?
    /// Everything that was over before this instant has been judged and counted.
    var settled = Instant.zero
    /// The number of commands, of pulses, of periods of an activity, or of commands that the turret
    /// has followed.
    var count = 0
    /// When the last commands began, as many as a rule about their rate compares.
    var begins: [Instant] = []
    /// The last command that was counted.
    var last: SentCommand?
    /// The first of the sender's commands, and of a pin's changes, that has not been judged.
    var command = 0
    var edge = 0
    /// The first line from the board that does not answer a command yet.
    var answers = 0
    var unanswered: FoundMishap?
    /// The command whose output has not come, and how many after it wait for the same output.
    var waiting: Waiting?
    var behind = 0
    /// How the first of those fails that cannot be met any more.
    var behindFailure: RuleFailure?
    /// What to say about an output that has not come: what came instead, and which sweep passed.
    var late: [String]?
    var passed: [String] = []
    /// How a rule about a pin fails if nothing more follows.
    var standing: RuleFailure?
    /// How far the outputs of a list have come one after the other.
    var listed = 0
    var listedPlace: Place?
    var recovery: Recovery?
    /// When a command last ended, or a move that it caused was; nil after a restart. And when the
    /// board last restarted.
    var cause: Instant?
    var restarted: Instant?
    /// What followed commands with the same text.
    var usual: [[UInt8]: Set<Output.Kind>] = [:]
  }

  /// A command whose output has not come.
  struct Waiting: Hashable, Sendable {
    var command: SentCommand
    /// Its failure if nothing more follows, without the notes on what came instead.
    var failure: RuleFailure
    /// The notes before and after those.
    var before: [String]
    var after: [String]
  }

  /// Settles what was over before an instant. Returns the instant from which on the record must be
  /// kept: that one, or an earlier one.
  package mutating func settle(_ record: SessionRecord, before instant: Instant) -> Instant {
    if progress.decision != nil { return instant }
    let decision = decide(record)
    switch decision {
    case .holds: progress.decision = decision
    case .fails(let failure):
      // Whatever it is about is still kept if it is not over, and more may follow it.
      if failure.time.map({ $0 < instant }) ?? true { progress.decision = decision }
    case .open: break
    }
    if progress.decision != nil { return instant }
    switch rule.requirement {
    case .never(let mishaps), .faults(.neverUnless(let mishaps)):
      guard mishaps.contains(.unanswered) else { return instant }
      // An answer can still come.
      let known = min(instant, record.complete - Self.answerMax)
      settleAnswers(record, before: known)
      return known
    case .commands, .rate, .gap: settleCommands(record, before: instant)
    case .neverPin(let pin, let activity):
      settle(never: pin, while: activity, record, before: instant)
    case .reaches(let reach): return settle(reach, record, before: instant)
    case .exactly(let targets): settle(exactly: targets, record)
    case .faults(.recovers(let limit)): settle(recovers: limit, record, before: instant)
    case .motion(.commanded): settleMoves(record, before: instant)
    case .angles, .twitch, .longest, .memory, .motion, .quiet, .ends, .golden, .sender, .tracking,
      .faults(.sometimes):
      break
    }
    return instant
  }

  /// Counts what another judge has counted, which has settled a session from its start.
  package mutating func takeCounts(of other: RuleJudge) { progress = other.progress }

  /// Whether it must see a session from its start.
  package var needsStart: Bool {
    switch rule.requirement {
    case .reaches(let reach): reach.isAboutAll
    case .never, .neverPin, .angles, .twitch, .longest, .memory, .motion, .rate, .gap, .commands,
      .golden,
      .faults(.neverUnless), .faults(.sometimes):
      true
    case .exactly, .quiet, .ends, .faults(.recovers), .tracking, .sender: false
    }
  }

  /// How many of the last outputs before a settled instant the rule still needs.
  package var tail: Int {
    // The pulse or the cycle that is not over, and what was before it.
    if case .exactly(let targets) = rule.requirement { return max(4, targets.count) }
    return 4
  }
}

// The judges of a session's rules, in the order of the list.
extension [RuleJudge] {
  /// Settles what was over before an instant. Returns the instant from which on the record must be
  /// kept.
  mutating func settle(_ record: SessionRecord, before instant: Instant) -> Instant {
    var place = RuleJudge.Place()
    var needed = instant
    for index in indices {
      let rule = self[index].rule
      // An earlier rule that was met since then comes first.
      if rule.isInOrder, self[index].place != place {
        self[index] = RuleJudge(rule, from: place)
      }
      needed = Swift.min(needed, self[index].settle(record, before: instant))
      if rule.isInOrder, case .holds(let after)? = self[index].progress.decision { place = after }
    }
    return needed
  }

  func decide(_ record: SessionRecord) -> [RuleJudge.Decision] {
    var place = RuleJudge.Place()
    return map { judge in
      guard judge.rule.isInOrder else { return judge.decide(record) }
      let judge = judge.place == place ? judge : RuleJudge(judge.rule, from: place)
      let decision = judge.decide(record)
      if case .holds(let after) = decision { place = after }
      return decision
    }
  }
}
