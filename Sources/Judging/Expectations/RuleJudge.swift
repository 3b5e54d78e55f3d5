package import Sketches
import Traces

/// Judges one rule of a session as far as the session is known.
///
///     open --enough is known--> holds | fails
///
/// After the session's end no rule is open.
///
/// A judge looks at what the record keeps. Before the record drops what is old, the judge takes
/// from it what it still needs (`settle`).
package struct RuleJudge: Hashable, Sendable {
  /// Which of the commands that match a rule are judged.
  package enum Scope: Hashable, Sendable {
    /// Every one in the session, at least one: a scenario's rule.
    case every
    /// The next one: an expectation in a test.
    case next
  }

  package enum Decision: Hashable, Sendable {
    /// Not decided yet, and not before `until` unless something arrives. Nil if only the end
    /// decides.
    case open(until: Instant?)
    case holds(after: Place)
    case fails(RuleFailure)
  }

  /// The progress of a sequence of expectations.
  package struct Place: Hashable, Sendable {
    package var position: SessionRecord.Position
    /// The first of the sender's commands that no expectation has used, counted from 0.
    package var command: Int

    package init(_ position: SessionRecord.Position = .init(), command: Int = 0) {
      self.position = position
      self.command = command
    }
  }

  package let rule: Rule
  let scope: Scope
  /// Where the search begins.
  package var place: Place
  /// The start of a `within` that names no command; nil for the session's first byte.
  package let origin: Instant?
  /// What it has found in the part of the session that was dropped.
  var progress = Progress()

  package init(
    _ rule: Rule, _ scope: Scope = .every, from place: Place = Place(), origin: Instant? = nil
  ) {
    self.rule = rule
    self.scope = scope
    self.place = place
    self.origin = origin
  }

  package func decide(_ record: SessionRecord) -> Decision {
    if let decision = progress.decision { return decision }
    if let refusal = refusal(record) { return fails([refusal], cause: .untested, record) }
    if record.setup.isMadeUp, rule.requirement.isAboutPace {
      return untested("the search itself chose when to send commands", record)
    }
    switch rule.requirement {
    case .reaches(let reach): return decide(reach, record)
    case .exactly(let targets): return decide(exactly: targets, record)
    case .never(let mishaps): return decide(never: mishaps, record)
    case .faults(.neverUnless(let mishaps)):
      return decide(never: mishaps, unlessFault: true, record)
    case .faults(.recovers(let limit)): return decide(recovers: limit, record)
    case .faults(.sometimes(let kind, let activity)):
      return decide(sometimes: kind, while: activity, record)
    case .tracking(let tracking): return decide(tracking, record)
    case .neverPin(let pin, let activity): return decide(never: pin, while: activity, record)
    case .angles(let range, let name): return decide(angles: range, of: name, record)
    case .twitch(let limit): return decide(twitchBelow: limit, record)
    case .longest(let span, let limit): return decide(longest: span, limit, record)
    case .memory: return decideMemory(record)
    case .motion(let motion): return decide(motion, record)
    case .quiet(let length): return decide(quiet: length, record)
    case .rate(let count, let time): return decide(count, per: time, record)
    case .gap(let length): return decide(gap: length, record)
    case .commands(let range): return decide(commands: range, record)
    case .ends(let state): return decide(ends: state, record)
    // What decides these is not in the session's events.
    case .golden, .sender: return .open(until: nil)
    }
  }

  /// Decides that the session breaks the rule. `event`: the session's event that breaks it; nil for
  /// the last one by `instant`.
  func fails(
    _ notes: [String], at instant: Instant? = nil, event: Int? = nil,
    cause: RuleFailure.Cause = .init(), _ record: SessionRecord
  ) -> Decision {
    let event = event ?? instant.flatMap { record.event(by: $0) }
    return .fails(record.failure(rule, notes, at: instant, event: event, cause: cause))
  }

  func untested(_ why: String, _ record: SessionRecord) -> Decision {
    fails(["\(why), so the rule could not be tested"], cause: .untested, record)
  }

  /// Why the rule cannot be judged; nil if it can.
  private func refusal(_ record: SessionRecord) -> String? {
    if let profile = record.setup.profile, case .ends(let state) = rule.requirement,
      state.isSweeping != nil
    {
      return profile.hasCommands
        ? "the profile \(profile.name) does not say when its sketch sweeps"
        : "when the sketch \(PlainText.quoted(profile.name)) sweeps is not known"
    }
    if rule.requirement.isAboutTwitches {
      guard record.setup.showsTwitches || !record.twitches.isEmpty else {
        return "the device does not compare a servo's pulses with what its sketch stored, so the "
          + "rule could not be tested; the emulated chip does, for an .elf with Arduino's servo "
          + "library (--device avr:FILE)"
      }
      let hasServoPulses = record.pulseChanges.keys.contains { $0.kind == .attached }
      if record.end != nil, !hasServoPulses, record.twitches.isEmpty {
        return "no servo was attached, so the rule could not be tested"
      }
    }
    if rule.requirement.mishaps.contains(.unanswered),
      record.setup.profile?.commands.contains(where: { $0.answer != nil }) != true
    {
      return "no profile states answers, so the rule could not be tested; a profile has \"answers\""
    }
    for name in rule.servoNames where record.setup.pin(ofServo: name) == nil {
      return "the device has no servo \(name), so the rule could not be tested"
    }
    for name in rule.pinNames {
      if let reason = record.refusal(ofPin: name) { return reason }
    }
    if let activity = rule.requirement.activity, record.setup.profile != nil {
      return "the bench does not know when this sketch is \(activity.words): only its own sketches "
        + "show what they do, so the rule cannot be judged"
    }
    if case .motion(.jump) = rule.requirement, !record.setup.observes.contains(.pulse) {
      return "the session shows no pulse, so the rule could not be tested"
    }
    for target in rule.targets {
      // Without pulses, the shaft follows the servo's writes.
      if case .shaft = target, record.setup.observes.contains(.servo) { continue }
      if !record.setup.observes.contains(target.kind) {
        return "the session shows no \(target.kind.name), so the rule could not be tested"
      }
    }
    return nil
  }
}

// What a sketch answers to the commands of its profile.
extension RuleJudge {
  /// How long after its command an answer can be: a sketch can wait until its servo is there.
  static let answerMax = Interval.seconds(5)

  /// Returns the first command that was not answered as the profile states, in a session that has
  /// ended, or before an instant by which all answers must have come. Each line is the answer to
  /// one command. `answers`: the index of the first line that is not one yet; it is moved on.
  func firstUnanswered(
    _ record: SessionRecord, before instant: Instant? = nil, answers: inout Int
  ) -> FoundMishap? {
    guard let profile = record.setup.profile, let end = instant ?? record.end else { return nil }
    let all = record.replies.lines
    var lines = all[max(all.startIndex, min(answers, all.endIndex))...]
    defer { answers = lines.startIndex }
    for (index, command) in zip(record.commands.indices, record.commands) {
      if instant != nil, command.last >= end { break }
      guard index >= progress.command else { continue }
      guard command.form == .whole, !command.isRefused, record.isJudged(command),
        let form = profile.form(of: command.text), let answer = profile.commands[form].answer
      else { continue }
      lines = lines.drop { $0.time < command.last }
      let words: String
      switch answer {
      case .none:
        let next =
          index + 1 < record.commands.endIndex ? record.commands[index + 1].begin : .distantFuture
        guard let line = lines.first, line.time <= min(next, command.last + Self.answerMax),
          instant != nil || line.time <= end
        else { continue }
        let text = PlainText.quoted(String(latin1: line.text))
        words = "was answered with \(text); the profile states that it has no answer"
      case .line:
        let latest = command.last + Self.answerMax
        let deadline = instant == nil ? min(end, latest) : latest
        if let line = lines.firstIndex(where: { $0.time <= deadline && answer.matches($0.text) }) {
          lines = lines[(line + 1)...]
          continue
        }
        let until = deadline == end ? ", until the session's end" : ""
        words =
          "was not answered with \(PlainText.quoted(answer.text)) within "
          + "\((deadline - command.last).nanoseconds / 1_000_000) ms\(until)"
      }
      return FoundMishap(
        mishap: .unanswered, time: command.begin.roundedUpToMicrosecond,
        text: "\(command.quoted) \(words)", event: command.event)
    }
    return nil
  }
}
