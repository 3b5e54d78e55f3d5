import Judging
import Sketches
import Traces

/// The rules that clients have stated and that are not decided yet.
///
/// Rules that wait for an output are decided in the order in which they were stated. Each searches
/// onwards from the match of the previous one. The others concern the session as a whole: they can
/// fail at any time, but hold only at the end.
///
/// Of a long session only what is recent is kept. Which accidents and how many commands there were
/// before that is still known.
struct APIRules: Sendable {
  /// A rule and the client that stated it, counted from 0.
  private struct Stated {
    var id: APIRequest.ID
    var judge: RuleJudge
    var client: Int
    /// How long it waits, and until when; nil to wait until the end of the session.
    var patience: (length: Interval, end: Instant)?
  }

  /// The maximum number of rules that are not decided yet.
  static let countMax = 1_000
  /// The maximum number of verdicts kept for the end.
  private static let keptMax = 1_000
  /// The interval at which the rules about the session as a whole are checked.
  private static let period = Interval.milliseconds(50)

  private var awaited: [Stated] = []
  private var place = RuleJudge.Place()
  private var whole: [Stated] = []
  /// What a rule that is stated later must know of the session before.
  private var general: [RuleJudge] =
    Mishap.allCases.map { RuleJudge(Rule(.never([$0]))) }
    + [RuleJudge(Rule(.commands(0...Requirement.countMax)))]
  /// The rules that name a trace.
  private var goldens: [(id: APIRequest.ID, rules: SessionRules)] = []
  /// The number of clients that have left. Their rules stay, but no other client receives the
  /// verdicts.
  private var client = 0
  /// When the first awaited rule is decided if nothing else happens; nil if never.
  private(set) var deadline: Instant?
  /// Whether an event has been taken since the rules about the session were last checked.
  private var isChanged = false
  private var lastLook = Instant.zero

  /// The verdicts that the end reports: failures, and rules about the session as a whole.
  private(set) var decided: [APIVerdict] = []
  private(set) var heldCount = 0
  private(set) var failedCount = 0
  /// Whether the first failure has named the sender's wrong speed.
  private var hasNamedSpeed = false

  /// The number of rules that are not decided yet.
  var openCount: Int { awaited.count + whole.count + goldens.count }

  /// Whether a rule waits for an output.
  var areAwaited: Bool { !awaited.isEmpty }

  /// Takes the session's next event.
  mutating func take(_ event: Event) {
    isChanged = true
    for index in goldens.indices { goldens[index].rules.take(event) }
  }

  /// Notes that the client has disconnected.
  mutating func clientLeft() { client += 1 }

  /// Adds a rule that names a trace. `rules` has already taken the events so far.
  mutating func add(_ rules: SessionRules, _ id: APIRequest.ID) -> APIVerdict {
    goldens.append((id, rules))
    return APIVerdict(id: id, outcome: .open)
  }

  /// Adds any other rule. Returns the verdict to answer with now; nil for a rule that waits for an
  /// output, whose answer follows later.
  mutating func add(
    _ rule: Rule, _ id: APIRequest.ID, _ record: SessionRecord, _ patience: Interval? = nil
  ) -> APIVerdict? {
    var stated = Stated(
      id: id, judge: RuleJudge(rule, rule.isAwaited ? .next : .every, origin: record.lastByte),
      client: client, patience: patience.map { ($0, record.complete + $0) })
    if rule.isAwaited {
      awaited.append(stated)
      return nil
    }
    var decision: RuleJudge.Decision?
    if record.begin > .zero { decision = past(&stated.judge, record) }
    let verdict = verdict(decision ?? stated.judge.decide(record), id, record)
    if case .open = verdict.outcome { whole.append(stated) } else { keep(verdict) }
    return verdict
  }

  /// Why a rule cannot be stated any more; nil if it can.
  func objection(to rule: Rule, _ record: SessionRecord) -> String? {
    guard record.begin > .zero, !rule.isAwaited, RuleJudge(rule).needsStart else { return nil }
    switch rule.requirement {
    case .never, .commands: return nil
    default:
      return "\"\(rule.requirement)\" is about the whole session, whose events before "
        + "\(record.begin.text) are no longer kept; state it earlier"
    }
  }

  /// Gives a judge what is known of the session before what is kept. Returns its decision if that
  /// is enough.
  private func past(_ judge: inout RuleJudge, _ record: SessionRecord) -> RuleJudge.Decision? {
    switch judge.rule.requirement {
    case .never(let mishaps):
      var failures: [RuleFailure] = []
      for (mishap, other) in zip(Mishap.allCases, general) where mishaps.contains(mishap) {
        guard case .fails(var failure) = other.decide(record), failure.cause.isTested else {
          continue
        }
        failure.rule = judge.rule
        failures.append(failure)
      }
      return failures.min { ($0.time ?? .zero) < ($1.time ?? .zero) }.map { .fails($0) }
    case .commands: if let counts = general.last { judge.takeCounts(of: counts) }
    default: break
    }
    return nil
  }

  /// Settles what was over before an instant, which the record then drops. Returns the instant from
  /// which on the record must be kept.
  mutating func settle(_ record: SessionRecord, before instant: Instant) -> Instant {
    var needed = instant
    for index in general.indices {
      needed = min(needed, general[index].settle(record, before: instant))
    }
    for index in whole.indices {
      needed = min(needed, whole[index].judge.settle(record, before: instant))
    }
    if !awaited.isEmpty { needed = min(needed, awaited[0].judge.settle(record, before: instant)) }
    return needed
  }

  /// How many of the last outputs before a settled instant a rule still needs.
  var tail: Int { (awaited + whole).reduce(4) { max($0, $1.judge.tail) } }

  /// Returns the new verdicts: those that answer a request, and the others.
  mutating func decide(_ record: SessionRecord) -> (answers: [APIVerdict], others: [APIVerdict]) {
    (decideAwaited(record), decideWhole(record))
  }

  private mutating func decideAwaited(_ record: SessionRecord) -> [APIVerdict] {
    deadline = nil
    var answers: [APIVerdict] = []
    while let first = awaited.first {
      var judge = first.judge
      // The first one that is not decided searches onwards from the match of the one before it.
      if judge.place != place {
        judge = RuleJudge(judge.rule, .next, from: place, origin: judge.origin)
        awaited[0].judge = judge
      }
      var decision = judge.decide(record)
      if case .open(let until) = decision {
        guard let (length, end) = first.patience, record.complete > end else {
          deadline = [until, first.patience?.end].compactMap { $0 }.min()
          break
        }
        decision = giveUp(judge, after: length, record)
      }
      if case .holds(let after) = decision { place = after }
      let verdict = verdict(decision, first.id, record, isPlaced: true)
      awaited.removeFirst()
      keep(verdict)
      if first.client == client { answers.append(verdict) }
    }
    return answers
  }

  /// Decides an open rule as if the session ended now.
  private func giveUp(
    _ judge: RuleJudge, after patience: Interval, _ record: SessionRecord
  ) -> RuleJudge.Decision {
    var record = record
    record.finish(at: record.complete)
    let decision = judge.decide(record)
    guard case .fails(var failure) = decision else { return decision }
    failure.notes.append("the expectation waited for \(String(readable: patience))")
    return .fails(failure)
  }

  private mutating func decideWhole(_ record: SessionRecord) -> [APIVerdict] {
    let isOver = record.end != nil
    guard isOver || isChanged && record.complete - lastLook >= Self.period else { return [] }
    isChanged = false
    lastLook = record.complete
    var others: [APIVerdict] = []
    var open: [Stated] = []
    for stated in whole {
      let verdict = verdict(stated.judge.decide(record), stated.id, record)
      if case .open = verdict.outcome {
        open.append(stated)
      } else {
        keep(verdict)
        if stated.client == client { others.append(verdict) }
      }
    }
    whole = open
    return others
  }

  /// Ends the session. The record must be finished. Returns the verdicts that answer a request.
  mutating func finish(_ record: SessionRecord, at end: Instant) -> [APIVerdict] {
    let (answers, _) = decide(record)
    for index in goldens.indices {
      let report = goldens[index].rules.finish(at: end, sender: nil)
      let decision = report.failures.first.map { RuleJudge.Decision.fails($0) }
      keep(verdict(decision ?? .holds(after: .init()), goldens[index].id, record))
    }
    goldens = []
    return answers
  }

  /// The first failure begins with the sender's wrong speed, if it had one.
  private mutating func verdict(
    _ decision: RuleJudge.Decision, _ id: APIRequest.ID, _ record: SessionRecord,
    isPlaced: Bool = false
  ) -> APIVerdict {
    switch decision {
    case .open: return APIVerdict(id: id, outcome: .open)
    case .holds(let after):
      return APIVerdict(id: id, outcome: .holds(at: isPlaced ? after.position.time : nil))
    case .fails(var failure):
      if !hasNamedSpeed { failure.wrongSpeed = record.wrongSpeed }
      if failure.wrongSpeed != nil { hasNamedSpeed = true }
      return APIVerdict(id: id, outcome: .fails(failure))
    }
  }

  private mutating func keep(_ verdict: APIVerdict) {
    if verdict.fails { failedCount += 1 } else { heldCount += 1 }
    if case .holds(at: _?) = verdict.outcome { return }
    if decided.count < Self.keptMax { decided.append(verdict) }
  }
}
