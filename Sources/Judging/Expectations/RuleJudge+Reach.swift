import Sketches
import Traces

// Rules that wait for an output.
extension RuleJudge {
  func decide(_ reach: Reach, _ record: SessionRecord) -> Decision {
    guard let pattern = reach.command else { return decideAlone(reach, record) }
    return switch scope {
    case .every: decideEvery(reach, of: pattern, record)
    case .next: decideNext(reach, of: pattern, record)
    }
  }

  // MARK: With no command named

  private func decideAlone(_ reach: Reach, _ record: SessionRecord) -> Decision {
    if let count = reach.count {
      return decide(count, of: reach, from: .zero, to: .distantFuture, record)
    }
    guard let (begin, limit) = span(of: reach, record) else {
      guard record.end != nil else { return .open(until: nil) }
      return untested("no byte was sent", record)
    }
    if let found = search(reach, after: begin, by: limit, present: reach.within == nil, record) {
      return found
    }
    // A session that a search made up, in which nothing of the kind happened, tested nothing.
    if record.setup.isMadeUp, record.isUnchanged(reach.target, after: begin.time) {
      return untested("no \(reach.target.subject) event came", record)
    }
    return .fails(missed(reach, from: begin.time, limit, record))
  }

  /// Where the search for an output begins, and until when it can come. Nil as long as that depends
  /// on the first byte.
  private func span(
    of reach: Reach, _ record: SessionRecord
  ) -> (begin: SessionRecord.Position, limit: Instant)? {
    var limit = Instant.distantFuture
    if let before = reach.before { limit = before - .nanoseconds(1) }
    var begin = place.position
    if let within = reach.within {
      guard let origin = origin ?? record.firstByte else { return nil }
      limit = min(limit, origin + within)
      // An output before the first byte, such as one at the sketch's start, does not answer it.
      if scope == .every, begin.time < origin { begin = .init(time: origin) }
    }
    return (begin, limit)
  }

  private func missed(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> RuleFailure {
    if let standing = progress.standing { return standing }
    var notes = reach.isInOrder ? last(reach, by: limit, record) : []
    if notes.isEmpty { notes = late(reach, from: begin, limit, record) }
    notes += passed(reach, from: begin, limit, record)
    var time = min(limit, record.end ?? limit)
    if let pin = reach.target.pinName, let change = record.firstChange(of: pin, after: begin) {
      time = min(time, change)
    }
    notes += record.activityNote(at: time)
    var failure = record.failure(rule, notes, at: time, event: record.event(by: time))
    failure.wait = wait(for: reach, from: max(begin, origin ?? begin), limit, record)
    return failure
  }

  /// Returns how long an output was waited for after an instant.
  private func wait(
    for reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> ClosedRange<Instant>? {
    guard reach.within != nil else { return nil }
    let later = record.first(reach.target, after: .init(time: limit), by: .distantFuture)
    let end = min(later?.time ?? limit, record.complete)
    return end > begin ? begin...end : nil
  }

  /// Returns a note on the last commanded angle, for a rule that searches the whole session.
  private func last(_ reach: Reach, by limit: Instant, _ record: SessionRecord) -> [String] {
    guard case .servo(_, let name) = reach.target,
      record.twitched(reach.target, from: .zero, to: limit).isEmpty,
      let last = record.servo(named: name).commanded(at: min(limit, record.complete))
    else { return [] }
    return ["the last was \(reach.target.subject) \(last.degrees) at \(last.time.text)"]
  }

  /// Returns notes on what came instead, or on how late it came.
  private func late(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> [String] {
    if case .pin(let pin) = reach.target {
      return progress.late ?? record.late(pin, from: begin, limit)
    }
    let twitched = record.twitched(reach.target, from: begin, to: limit)
    if !twitched.isEmpty { return twitched }
    let subject = reach.target.subject
    if case .shaft(_, let name) = reach.target {
      let shaft = record.servo(named: name).shaft
      let angle = (shaft.degrees(at: min(limit, record.complete)) * 10).rounded() / 10
      return ["the \(subject) was at \(String(shortest: angle)) degrees then"]
    }
    let later = record.first(reach.target, after: .init(time: begin), by: .distantFuture)
    let other = record.instead(of: reach.target, after: begin)
    var notes: [String] = []
    if let known = progress.late {
      notes = known
    } else if case .servo(_, let name) = reach.target,
      let before = record.servo(named: name).commanded(at: begin)
    {
      guard let other else {
        return ["\(subject) stayed at \(before.degrees) \(record.rest(from: limit))"]
      }
      let stayed = "\(subject) stayed at \(before.degrees) until \(other.time.text)"
      if let later, later.time == other.time, later.time > limit {
        return [stayed + ", \(String(readable: later.time - limit)) late"]
      }
      notes = [stayed + ", then \(other.text.dropFirst(subject.count + 1))"]
    } else if let other {
      notes = ["\(other.text) at \(other.time.text)"]
    }
    if let later, later.time > limit {
      notes.append(
        "\(reach.target) came at \(later.time.text), \(String(readable: later.time - limit)) late")
    }
    return notes.isEmpty ? ["there was no \(subject) event"] : notes
  }

  private func passed(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> [String] {
    progress.passed.isEmpty
      ? record.passed(reach.target, from: begin, by: limit) : progress.passed
  }

  // MARK: After a command

  private func decideEvery(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord
  ) -> Decision {
    // Only the end shows that no such command follows.
    guard let end = record.end else { return .open(until: nil) }
    var tested = progress.count
    var cutOff: SentCommand?
    var commands = record.attempts(at: pattern, from: progress.command).map { $0.command }
    if let waiting = progress.waiting { commands.insert(waiting.command, at: 0) }
    for command in commands {
      // A command that was still arriving at the end was not cut short by the sender.
      guard command.last <= end else {
        cutOff = cutOff ?? command
        continue
      }
      let limit = limit(of: reach, after: command)
      if record.isRestarted(after: command.begin, by: limit) { continue }
      let judge = command == progress.waiting?.command ? self : RuleJudge(rule)
      switch judge.decide(reach, after: command, record) {
      case .holds: tested += 1
      // The session ended before all pulses could be counted.
      case .open: cutOff = command
      case .fails(let failure):
        // The session ended before the command's time was up.
        if command.form != .brokenOff, limit > end, reach.within != nil {
          cutOff = command
          if command == progress.waiting?.command, let failure = progress.behindFailure {
            return .fails(failure)
          }
          continue
        }
        return .fails(failure)
      }
      if command == progress.waiting?.command {
        if let failure = progress.behindFailure { return .fails(failure) }
        tested += progress.behind
      }
    }
    if tested > 0 { return .holds(after: place) }
    if let cutOff { return tooShort(for: cutOff, end, record) }
    return fails(noCommand(pattern, record), cause: .untested, record)
  }

  private func tooShort(
    for command: SentCommand, _ end: Instant, _ record: SessionRecord
  ) -> Decision {
    fails(
      [
        "the command's first byte arrived at \(command.begin.arrival)",
        "the session ended at \(end.text), before the time was up",
      ], at: end, event: command.event, cause: .untested, record)
  }

  private func decideNext(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord
  ) -> Decision {
    let waiting = progress.waiting.map { ($0.command, progress.command) }
    guard let (command, next) = waiting ?? record.attempt(at: pattern, from: place.command) else {
      guard record.end != nil else { return .open(until: nil) }
      return fails(noCommand(pattern, record), cause: .untested, record)
    }
    switch decide(reach, after: command, record) {
    case .open(let until):
      if let end = record.end { return tooShort(for: command, end, record) }
      return .open(until: until)
    case .holds(let found): return .holds(after: Place(found.position, command: next))
    case .fails(let failure): return .fails(failure)
    }
  }

  /// Decides about one command. `place` is where the search begins if that is later.
  private func decide(
    _ reach: Reach, after command: SentCommand, _ record: SessionRecord
  ) -> Decision {
    let limit = limit(of: reach, after: command)
    var position = place.position
    if command.begin > position.time { position = .init(time: command.begin) }
    // Bytes that the model does not know are judged too. They can be a command of another sketch.
    if command.form == .brokenOff { return .fails(failure(reach, command, limit, record)) }
    if let pin = reach.target.pinName, record.pin(named: pin).since > command.begin {
      return fails(
        [
          "the command's first byte arrived at \(command.begin.arrival)",
          record.lateWatch(of: pin),
        ], at: command.begin, event: command.event, cause: .untested, record)
    }
    if let count = reach.count {
      return decide(count, of: reach, from: command.begin, to: limit, record)
    }
    if let found = search(reach, after: position, by: limit, present: false, record) {
      return found
    }
    if record.keeps(reach.target, after: command, by: limit) {
      return .holds(after: Place(.init(time: position.time), command: place.command))
    }
    return .fails(failure(reach, command, limit, record))
  }

  /// Searches for an output. Nil if it did not come in time.
  private func search(
    _ reach: Reach, after begin: SessionRecord.Position, by limit: Instant, present: Bool,
    _ record: SessionRecord
  ) -> Decision? {
    if let found = record.first(reach.target, after: begin, by: limit, present: present) {
      // An expectation about an angle waits for the first whole pulse; the rules of a scenario are
      // decided at the end anyway.
      if scope == .next, case .servo(_, let name) = reach.target,
        let due = record.pulseDeadline(of: name, at: found.time)
      {
        return .open(until: due)
      }
      return .holds(after: Place(found, command: place.command))
    }
    if let until = record.settles(reach.target, by: limit) {
      return .open(until: until.unlessNever)
    }
    return record.steady(reach.target, from: begin.time, to: limit)
      .map { .holds(after: Place($0, command: place.command)) }
  }

  func limit(of reach: Reach, after command: SentCommand) -> Instant {
    var limit = reach.within.map { command.begin + $0 } ?? .distantFuture
    if let before = reach.before { limit = min(limit, before - .nanoseconds(1)) }
    return limit
  }

  private func failure(
    _ reach: Reach, _ command: SentCommand, _ limit: Instant, _ record: SessionRecord
  ) -> RuleFailure {
    var first = "the command's first byte arrived at \(command.begin.arrival)"
    if command.form == .brokenOff {
      let last = reach.command.flatMap { $0.matches(command.text) ? nil : $0.last }
      let missing = last.map { "\(PlainText.quoted(String(latin1: [$0]))), " } ?? ""
      first += missing.isEmpty ? "; its end never came" : "; its last, \(missing)never came"
    } else if command.last - command.begin > Self.slow {
      first += ", its last at \(command.last.arrival)"
    }
    if let waiting = progress.waiting, waiting.command == command {
      var failure = waiting.failure
      failure.notes =
        waiting.before + late(reach, from: command.begin, limit, record)
        + passed(reach, from: command.begin, limit, record) + waiting.after
      return failure
    }
    let notes =
      [first] + late(reach, from: command.begin, limit, record)
      + passed(reach, from: command.begin, limit, record)
      + record.activityNote(at: command.begin)
    let cause = RuleFailure.Cause(
      isBrokenOff: command.form == .brokenOff,
      activity: record.doing(at: command.begin).map { KnownActivity(of: $0.period.activity) })
    var failure = record.failure(
      rule, notes, at: command.begin, event: command.event, cause: cause)
    if command.form != .brokenOff {
      failure.wait = wait(for: reach, from: command.last, limit, record)
    }
    return failure
  }

  /// A command that takes longer from its first to its last byte is reported as slow.
  private static let slow = Interval.milliseconds(10)

  private func noCommand(_ pattern: TextPattern, _ record: SessionRecord) -> [String] {
    if scope == .next, record.namedCommands.contains(where: { $0.isAttempt(at: pattern) }) {
      return [
        "no further \(pattern) was sent, so the rule could not be tested",
        "earlier expectations used those before it",
      ]
    }
    var notes = ["no \(pattern) was sent, so the rule could not be tested"]
    if let sketch = record.setup.undescribedSketch {
      notes.append(
        "the commands of the sketch \(PlainText.quoted(sketch)) are not known, so \"of\" means "
          + "exactly these bytes")
    }
    let meant = record.namedCommands.first { command in
      command.form == .whole && command.text.count > 1 && pattern.matches(command.text.dropLast())
    }
    if let meant {
      let end = meant.text.last == UInt8(ascii: ".") ? "the full stop" : "its last byte"
      notes.append("\(meant.quoted) was sent: \"of\" must include \(end)")
    } else {
      notes.append(record.sentInstead(of: pattern))
    }
    return notes
  }

  // MARK: In a row

  func decide(exactly targets: [Target], _ record: SessionRecord) -> Decision {
    if let found = record.first(exactly: targets, after: place.position) {
      return .holds(after: Place(found, command: place.command))
    }
    guard record.end != nil else { return .open(until: nil) }
    let (count, next) = followed(targets, record)
    let time = next.position.time
    let note =
      count < targets.count
      ? "\(targets[count]) did not come after \(time.text)" : "other outputs came between them"
    return fails([note], at: time, record)
  }

  /// Returns how many outputs of a list have come one after the other, and where the last was.
  private func followed(
    _ targets: [Target], _ record: SessionRecord
  ) -> (count: Int, place: Place) {
    var (count, next) = (progress.listed, progress.listedPlace ?? place)
    while count < targets.count {
      let reach = RuleJudge(Rule(.reaches(Reach(targets[count]))), from: next)
      guard case .holds(let after) = reach.decide(record) else { break }
      next = after
      count += 1
    }
    return (count, next)
  }
}

// Settling what is over.
extension RuleJudge {
  mutating func settle(_ reach: Reach, _ record: SessionRecord, before instant: Instant) -> Instant
  {
    if let pattern = reach.command {
      if scope == .every { return settleEvery(reach, of: pattern, record, before: instant) }
      settleNext(reach, of: pattern, record, before: instant)
      return instant
    }
    guard let (begin, limit) = span(of: reach, record) else { return instant }
    let decision = decide(record)
    if case .fails = decision {
      progress.decision = decision
      return instant
    }
    if reach.count != nil {
      settleCount(of: reach, record, before: instant)
      return instant
    }
    note(reach, from: begin.time, limit, record, before: instant)
    if let pin = reach.target.pinName, progress.standing == nil,
      let change = record.firstChange(of: pin, after: begin.time), change < instant
    {
      progress.standing = missed(reach, from: begin.time, limit, record)
    }
    return instant
  }

  /// Notes what came before an instant instead of the output.
  private mutating func note(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord,
    before instant: Instant
  ) {
    guard begin < instant else { return }
    progress.passed = passed(reach, from: begin, limit, record)
    guard progress.late == nil else { return }
    let first =
      reach.target.pinName.map { record.firstChange(of: $0, after: begin) }
      ?? record.instead(of: reach.target, after: begin)?.time
    if let first, first < instant { progress.late = late(reach, from: begin, limit, record) }
  }

  /// Judges the commands that were over before an instant, one after the other. All that follow
  /// one whose output has not come wait for the same output.
  private mutating func settleEvery(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord, before instant: Instant
  ) -> Instant {
    while let waiting = progress.waiting {
      let limit = limit(of: reach, after: waiting.command)
      switch decide(reach, after: waiting.command, record) {
      case .holds:
        if let failure = progress.behindFailure {
          progress.decision = .fails(failure)
          return instant
        }
        progress.count += 1 + progress.behind
        (progress.waiting, progress.behind) = (nil, 0)
        (progress.late, progress.passed) = (nil, [])
      case .fails(let failure):
        progress.decision = .fails(failure)
        return instant
      case .open:
        note(reach, from: waiting.command.begin, limit, record, before: instant)
        skip(pattern, reach, record, before: instant)
        return instant
      }
    }
    while let (command, next) = record.attempt(at: pattern, from: progress.command),
      command.last < instant
    {
      let limit = limit(of: reach, after: command)
      let decision = decide(reach, after: command, record)
      if case .holds = decision {
        progress.count += 1
        progress.command = next
        continue
      }
      if case .fails = decision {
        progress.decision = decision
        return instant
      }
      // Pulses are counted for each command, and a level must last for each.
      if reach.count != nil || reach.target.pinName != nil && reach.within != nil {
        return command.begin
      }
      wait(for: reach, after: command, next, limit, record, before: instant)
      skip(pattern, reach, record, before: instant)
      return instant
    }
    return instant
  }

  /// Notes a command whose output has not come. `next` is the place after it.
  private mutating func wait(
    for reach: Reach, after command: SentCommand, _ next: Int, _ limit: Instant,
    _ record: SessionRecord, before instant: Instant
  ) {
    progress.command = next
    var failure = failure(reach, command, limit, record)
    let first = failure.notes.prefix(1)
    failure.notes = []
    progress.waiting = Waiting(
      command: command, failure: failure, before: Array(first),
      after: record.activityNote(at: command.begin))
    note(reach, from: command.begin, limit, record, before: instant)
  }

  private mutating func settleNext(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord, before instant: Instant
  ) {
    if let command = progress.waiting?.command {
      let limit = limit(of: reach, after: command)
      note(reach, from: command.begin, limit, record, before: instant)
    } else if let (command, next) = record.attempt(at: pattern, from: place.command),
      command.last < instant
    {
      let limit = limit(of: reach, after: command)
      wait(for: reach, after: command, next, limit, record, before: instant)
    }
  }

  /// Counts the commands that were over before an instant and wait for the same output.
  private mutating func skip(
    _ pattern: TextPattern, _ reach: Reach, _ record: SessionRecord, before instant: Instant
  ) {
    while let (command, next) = record.attempt(at: pattern, from: progress.command),
      command.last < instant
    {
      progress.command = next
      progress.behind += 1
      guard command.form == .brokenOff, progress.behindFailure == nil else { continue }
      if case .fails(let failure) = RuleJudge(rule).decide(reach, after: command, record) {
        progress.behindFailure = failure
      }
    }
  }

  /// Follows a list of outputs, each after the one before it.
  mutating func settle(exactly targets: [Target], _ record: SessionRecord) {
    let (count, next) = followed(targets, record)
    progress.listed = count
    progress.listedPlace = next
  }
}

extension SentCommand {
  /// Whether this matches the pattern, or is the beginning of a match that was broken off. The
  /// pattern can leave out the line ending.
  func isAttempt(at pattern: TextPattern) -> Bool {
    if form == .whole, text.last == 0x0A || text.last == 0x0D {
      let end = text.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? text.startIndex
      if pattern.matches(text[...end]) { return true }
    }
    return pattern.matches(text) || form == .brokenOff && pattern.isBegun(by: text)
  }
}

extension SessionRecord {
  /// Whether nothing that a target is about happened after an instant.
  fileprivate func isUnchanged(_ target: Target, after begin: Instant) -> Bool {
    target.pinName.map { firstChange(of: $0, after: begin) == nil }
      ?? (instead(of: target, after: begin) == nil)
  }

  /// Returns when all outputs that can meet a target by an instant are known; nil if they already
  /// are.
  fileprivate func settles(_ target: Target, by instant: Instant) -> Instant? {
    guard end == nil else { return nil }
    guard complete > instant else { return instant }
    if case .pin(let pin) = target { return settles(pin, by: instant) }
    // Silence shows that a line without its line feed is over.
    guard target.kind == .transmit, replies.isOpen(by: instant) else { return nil }
    return replies.deadline
  }
}

extension Instant {
  var unlessNever: Instant? { self == .distantFuture ? nil : self }

  /// The seconds with all six decimal places, as in a trace.
  fileprivate var arrival: String { String(canonical: roundedUpToMicrosecond) + " s" }
}
