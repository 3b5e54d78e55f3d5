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
    var limit = Instant.distantFuture
    if let before = reach.before { limit = before - .nanoseconds(1) }
    var begin = place.position
    if let within = reach.within {
      guard let origin = origin ?? record.firstByte else {
        guard record.end != nil else { return .open(until: nil) }
        return .fails(
          record.failure(
            rule, ["no byte was sent, so the rule could not be tested"], cause: .untested))
      }
      limit = min(limit, origin + within)
      // An output before the first byte, such as one at the sketch's start, does not answer it.
      if scope == .every, begin.time < origin { begin = .init(time: origin) }
    }
    if let found = record.first(reach.target, after: begin, by: limit, present: reach.within == nil)
    {
      return .holds(after: Place(found, command: place.command))
    }
    if let until = record.settles(reach.target, by: limit) {
      return .open(until: until.unlessNever)
    }
    if let found = record.steady(reach.target, from: begin.time, to: limit) {
      return .holds(after: Place(found, command: place.command))
    }
    return .fails(missed(reach, from: begin.time, limit, record))
  }

  private func missed(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> RuleFailure {
    var notes = reach.isInOrder ? last(reach, by: limit, record) : []
    if notes.isEmpty { notes = late(reach, from: begin, limit, record) }
    notes += record.passed(reach.target, from: begin, by: limit)
    var time = min(limit, record.end ?? limit)
    if let pin = reach.target.pinName, let change = record.firstChange(of: pin, after: begin) {
      time = min(time, change)
    }
    notes += record.doing(at: time)
    return record.failure(rule, notes, at: time, event: record.event(by: time))
  }

  /// Returns a note on the last commanded angle, for a rule that searches the whole session.
  private func last(_ reach: Reach, by limit: Instant, _ record: SessionRecord) -> [String] {
    guard case .servo(_, let name) = reach.target,
      let last = record.servo(named: name).commanded(at: min(limit, record.complete))
    else { return [] }
    return ["the last was \(reach.target.subject) \(last.degrees) at \(last.time.text)"]
  }

  /// Returns notes on what came instead, or on how late it came.
  private func late(
    _ reach: Reach, from begin: Instant, _ limit: Instant, _ record: SessionRecord
  ) -> [String] {
    if case .pin(let pin) = reach.target { return record.late(pin, from: begin, limit) }
    let subject = reach.target.subject
    if case .shaft(_, let name) = reach.target {
      let shaft = record.servo(named: name).shaft
      let angle = (shaft.degrees(at: min(limit, record.complete)) * 10).rounded() / 10
      return ["the \(subject) was at \(String(shortest: angle)) degrees then"]
    }
    let later = record.first(reach.target, after: .init(time: begin), by: .distantFuture)
    let other = record.instead(of: reach.target, after: begin)
    var notes: [String] = []
    if case .servo(_, let name) = reach.target,
      let before = record.servo(named: name).commanded(at: begin)
    {
      guard let other else {
        return ["\(subject) stayed at \(before.degrees) to the end, \((record.end ?? limit).text)"]
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

  // MARK: After a command

  private func decideEvery(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord
  ) -> Decision {
    // Only the end shows that no such command follows.
    guard let end = record.end else { return .open(until: nil) }
    var tested = 0
    var cutOff: SentCommand?
    for (command, _) in record.attempts(at: pattern) {
      // A command that was still arriving at the end was not cut short by the sender.
      guard command.last <= end else {
        cutOff = cutOff ?? command
        continue
      }
      let limit = limit(of: reach, after: command)
      switch decide(reach, after: command, record) {
      case .holds: tested += 1
      // The session ended before all pulses could be counted.
      case .open: cutOff = command
      case .fails(let failure):
        // The session ended before the command's time was up.
        if command.form != .brokenOff, limit > end, reach.within != nil {
          cutOff = command
          continue
        }
        return .fails(failure)
      }
    }
    if tested > 0 { return .holds(after: place) }
    if let cutOff { return .fails(tooShort(for: cutOff, end, record)) }
    return .fails(record.failure(rule, noCommand(pattern, record), cause: .untested))
  }

  private func tooShort(
    for command: SentCommand, _ end: Instant, _ record: SessionRecord
  ) -> RuleFailure {
    record.failure(
      rule,
      [
        "the command's first byte arrived at \(command.begin.arrival)",
        "the session ended at \(end.text), before the time was up",
      ], at: end, event: command.event, cause: .untested)
  }

  private func decideNext(
    _ reach: Reach, of pattern: TextPattern, _ record: SessionRecord
  ) -> Decision {
    guard let (command, next) = record.attempt(at: pattern, from: place.command) else {
      guard record.end != nil else { return .open(until: nil) }
      return .fails(record.failure(rule, noCommand(pattern, record), cause: .untested))
    }
    switch decide(reach, after: command, record) {
    case .open(let until):
      if let end = record.end { return .fails(tooShort(for: command, end, record)) }
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
    guard command.form != .brokenOff else {
      return .fails(failure(reach, command, limit, record))
    }
    if let pin = reach.target.pinName, record.pin(named: pin).since > command.begin {
      return .fails(
        record.failure(
          rule,
          [
            "the command's first byte arrived at \(command.begin.arrival)",
            record.lateWatch(of: pin),
          ], at: command.begin, event: command.event, cause: .untested))
    }
    if let count = reach.count {
      return decide(count, of: reach, from: command.begin, to: limit, record)
    }
    if let found = record.first(reach.target, after: position, by: limit, present: false) {
      return .holds(after: Place(found, command: place.command))
    }
    if let until = record.settles(reach.target, by: limit) {
      return .open(until: until.unlessNever)
    }
    if let found = record.steady(reach.target, from: position.time, to: limit) {
      return .holds(after: Place(found, command: place.command))
    }
    return .fails(failure(reach, command, limit, record))
  }

  private func limit(of reach: Reach, after command: SentCommand) -> Instant {
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
    let notes =
      [first] + late(reach, from: command.begin, limit, record)
      + record.passed(reach.target, from: command.begin, by: limit)
      + record.doing(at: command.begin)
    var cause = RuleFailure.Cause()
    cause.isBrokenOff = command.form == .brokenOff
    cause.activity = record.knownActivity(at: command.begin)
    return record.failure(rule, notes, at: command.begin, event: command.event, cause: cause)
  }

  /// A command that takes longer from its first to its last byte is reported as slow.
  private static let slow = Interval.milliseconds(10)

  private func noCommand(_ pattern: TextPattern, _ record: SessionRecord) -> [String] {
    if scope == .next,
      record.commands.prefix(place.command).contains(where: { $0.isAttempt(at: pattern) })
    {
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
    let meant = record.commands.first { command in
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
    var notes: [String] = []
    var next = place
    for target in targets {
      let reach = RuleJudge(Rule(.reaches(Reach(target))), from: next)
      guard case .holds(let after) = reach.decide(record) else {
        notes = ["\(target) did not come after \(next.position.time.text)"]
        break
      }
      next = after
    }
    if notes.isEmpty { notes = ["other outputs came between them"] }
    let time = next.position.time
    return .fails(record.failure(rule, notes, at: time, event: record.event(by: time)))
  }
}

extension RuleJudge.Place {
  init(_ position: SessionRecord.Position, command: Int) {
    self.position = position
    self.command = command
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
  fileprivate var unlessNever: Instant? { self == .distantFuture ? nil : self }

  /// The seconds with all six decimal places, as in a trace.
  fileprivate var arrival: String { String(canonical: roundedUpToMicrosecond) + " s" }
}
