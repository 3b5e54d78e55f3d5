import Sketches
import Traces

// Rules about the session as a whole.
extension RuleJudge {
  /// A command whose last byte comes less than this before the end may have been cut off by it.
  /// Shorter than the quiet time after which a session ends, so that a number that the sender left
  /// open does not count as cut off.
  private static let cutOffMax = Interval.milliseconds(20)

  // MARK: Never

  /// `unlessFault`: whether what a fault can explain is left out.
  func decide(
    never mishaps: [Mishap], unlessFault: Bool = false, _ record: SessionRecord
  ) -> Decision {
    if let found = first(of: mishaps, unlessFault: unlessFault, record) {
      var notes = [found.text + " at \(found.time.text)"]
      if found.mishap == .twitch,
        let twitch = record.twitches.first(where: { $0.time == found.time })
      {
        notes = record.notes(on: twitch)
      } else if !record.setup.reportsFates, record.setup.profile == nil {
        notes.append(
          "the device shows no fates: the model of \(record.setup.firmware.rawValue) judged the "
            + "same bytes")
      }
      if found.mishap == .lost, let why = record.reason(forLossAt: found.time) { notes.append(why) }
      notes += record.activityNote(at: found.time - .nanoseconds(1))
      let cause = RuleFailure.Cause(
        fate: found.fate, mishap: found.mishap, loss: found.loss)
      return .fails(
        record.failure(rule, notes, at: found.time, event: found.event, cause: cause))
    }
    guard record.end != nil else { return .open(until: nil) }
    if record.byteCount == 0, mishaps != [.twitch] {
      return untested("no byte was received or refused", record)
    }
    return .holds(after: place)
  }

  private func first(
    of mishaps: [Mishap], unlessFault: Bool, _ record: SessionRecord
  ) -> FoundMishap? {
    func counts(_ instant: Instant) -> Bool {
      !unlessFault || !record.faults.explains(instant)
    }
    var first = record.mishaps.first {
      mishaps.contains($0.mishap) && counts($0.time) && record.isJudged($0)
    }
    if record.setup.profile != nil {
      return firstByProfile(of: mishaps, record, besides: first, where: counts)
    }
    for (index, entry) in record.fates.enumerated() {
      if let first, first.time < entry.arrived { break }
      guard let mishap = Mishap(entry.fate), mishaps.contains(mishap), counts(entry.arrived),
        record.isJudged(entry.fate, at: entry.arrived)
      else { continue }
      var words = entry.fate.words
      if entry.fate == .waiting {
        guard let end = record.end, end - entry.arrived >= ObservedSession.waitMax else { continue }
        words += ", \(String(readable: end - entry.arrived)) later"
      }
      first = FoundMishap(
        mishap: mishap, time: entry.arrived.roundedUpToMicrosecond,
        text: "\(ByteText.quoted([entry.byte])) was \(words)",
        event: record.event(ofFate: index), fate: entry.fate)
      break
    }
    if first == nil, mishaps.contains(.abandoned), let found = unended(record), counts(found.time) {
      return found
    }
    return first
  }

  /// Returns the first mishap in a session with a profile: a byte outside its commands is junk, and
  /// a part of a command is abandoned.
  private func firstByProfile(
    of mishaps: [Mishap], _ record: SessionRecord, besides first: FoundMishap?,
    where counts: (Instant) -> Bool
  ) -> FoundMishap? {
    var first = first
    if mishaps.contains(.unanswered) {
      var answers = progress.answers
      let found = progress.unanswered ?? firstUnanswered(record, answers: &answers)
      if let found, counts(found.time), first.map({ found.time < $0.time }) ?? true {
        first = found
      }
    }
    for command in record.commands where record.isJudged(command) {
      if let first, first.time < command.begin { break }
      let (mishap, words): (Mishap, String)
      switch command.form {
      case .unknown: (mishap, words) = (.junk, "is not a command of the profile")
      case .whole where command.isRefused: (mishap, words) = (.abandoned, "has a wrong number")
      case .brokenOff where record.end.map({ $0 - command.last >= Self.cutOffMax }) ?? true:
        (mishap, words) = (.abandoned, "was sent without its end")
      case .whole, .brokenOff: continue
      }
      guard mishaps.contains(mishap), counts(command.begin) else { continue }
      return FoundMishap(
        mishap: mishap, time: command.begin.roundedUpToMicrosecond,
        text: "\(command.quoted) \(words)", event: command.event)
    }
    return first
  }

  /// Returns the number that was never ended. A number that the session's end cut off does not
  /// count.
  private func unended(_ record: SessionRecord) -> FoundMishap? {
    guard let end = record.end, let command = record.commands.last,
      command.form == .brokenOff, end - command.last >= Self.cutOffMax, record.isJudged(command)
    else { return nil }
    return FoundMishap(
      mishap: .abandoned, time: command.begin, text: "\(command.quoted) was sent without its end",
      event: command.event)
  }

  // MARK: The commanded angle

  func decide(
    angles range: ClosedRange<Int>, of name: String?, _ record: SessionRecord
  ) -> Decision {
    let writes = record.servo(named: name).writes
    let servo = Target.subject("servo", name)
    if let write = writes.first(where: { !range.contains($0.degrees) }) {
      let note = "\(servo) went to \(write.degrees) at \(write.time.text)"
      return fails([note] + record.activityNote(at: write.time), at: write.time, record)
    }
    if let (notes, time) = record.leaves(range, name) {
      return fails(notes + record.activityNote(at: time), at: time, record)
    }
    guard record.end != nil else { return .open(until: nil) }
    if writes.endIndex == 0 {
      return untested("the \(servo) was never commanded", record)
    }
    return .holds(after: place)
  }

  func decide(ends state: FinalState, _ record: SessionRecord) -> Decision {
    guard let end = record.end else { return .open(until: nil) }
    var notes: [String] = []
    for servo in state.servos {
      let last = record.servo(named: servo.name).writes.last?.degrees
      if last.map({ servo.degrees.contains($0) }) ?? false {
        let note = record.endsOff(servo.name) ?? record.endsTwitching(servo.name, at: end)
        if let note { notes.append(note) }
        continue
      }
      let subject = Target.subject("servo", servo.name)
      notes.append(last.map { "\(subject) was at \($0)" } ?? "the \(subject) was never commanded")
    }
    for (pin, since) in record.leftHigh.sorted(by: { $0.key < $1.key }) {
      notes.append(
        "\(pin.name) stayed high from \(since.text) on: the servo was detached in the middle of a "
          + "pulse, whose end is unknown")
    }
    for pin in state.pins {
      guard case .level(let isHigh) = pin.condition else { continue }
      let level = record.pin(named: pin.name).level(at: end)
      if level != isHigh { notes.append(record.standing(of: pin.name, at: end)) }
    }
    if let isSweeping = state.isSweeping, record.isSweeping(at: end) != isSweeping {
      let period = record.activities.doing(at: end)?.period
      notes.append(
        "the sketch was \(period?.activity.phrase ?? "in an unknown state") from "
          + "\((period?.begin ?? .zero).text) on")
    }
    if notes.isEmpty { return .holds(after: place) }
    // A search also makes up sessions in which nothing is commanded.
    let servos = state.servos.map { record.servo(named: $0.name) }
    if record.setup.isMadeUp, servos.contains(where: { $0.writes.isEmpty }) {
      return untested(notes[0], record)
    }
    return fails(notes, at: end, record)
  }

  func decide(quiet length: Interval, _ record: SessionRecord) -> Decision {
    guard let end = record.end else { return .open(until: nil) }
    let last = max(record.lastByte ?? .zero, record.lastOutput ?? .zero)
    if end - last >= length { return .holds(after: place) }
    let note =
      "the last byte or output came at \(last.text), \(String(readable: end - last)) before the end"
    return fails([note], at: last, record)
  }

  // MARK: The sender's pace

  func decide(commands range: ClosedRange<Int>, _ record: SessionRecord) -> Decision {
    let commands = newCommands(record)
    let count = progress.count + commands.count
    if progress.count > range.upperBound {
      let sent = String(counting: progress.count, "command")
      return fails(["the sender had sent \(sent) by \(progress.settled.text)"], record)
    }
    if count > range.upperBound {
      let command = commands[range.upperBound - progress.count]
      let note = "command \(range.upperBound + 1), \(command.quoted), came at \(command.begin.text)"
      return fails([note], at: command.begin, event: command.event, record)
    }
    guard record.end != nil else { return .open(until: nil) }
    if range.contains(count) { return .holds(after: place) }
    return fails(["the sender sent \(String(counting: count, "command"))"], record)
  }

  func decide(_ count: Int, per time: Interval, _ record: SessionRecord) -> Decision {
    let commands = commandsInOrder(record)
    let begins = progress.begins + commands.map { $0.begin }
    for index in commands.indices.dropFirst(count - progress.begins.count) {
      let first = begins[progress.begins.count + index - count]
      let last = commands[index]
      guard last.begin - first < time, last.begin >= first else { continue }
      let sent = String(counting: count + 1, "command")
      let note = "\(sent) came in \(String(readable: last.begin - first)), from \(first.text) on"
      return fails([note], at: last.begin, event: last.event, record)
    }
    return held(ifAny: commands, record)
  }

  func decide(gap length: Interval, _ record: SessionRecord) -> Decision {
    let commands = (progress.last.map { [$0] } ?? []) + commandsInOrder(record)
    for (first, second) in zip(commands, commands.dropFirst())
    where second.begin - first.begin < length && second.begin >= first.begin {
      let gap = String(readable: second.begin - first.begin)
      let note = "\(second.quoted) came at \(second.begin.text), \(gap) after \(first.quoted)"
      return fails([note], at: second.begin, event: second.event, record)
    }
    return held(ifAny: commands, record)
  }

  /// Returns the commands that have not been counted yet, in order of their end.
  private func newCommands(_ record: SessionRecord) -> [SentCommand] {
    record.commands.filter { $0.form != .unknown && $0.last >= progress.settled }
  }

  /// The same in order of their beginning. A message can be refused while a command of another
  /// sender is open.
  private func commandsInOrder(_ record: SessionRecord) -> [SentCommand] {
    newCommands(record).sorted { $0.begin < $1.begin }
  }

  /// Counts the commands that were over before an instant.
  mutating func settleCommands(_ record: SessionRecord, before instant: Instant) {
    let old = commandsInOrder(record).filter { $0.last < instant }
    progress.count += old.count
    if case .gap = rule.requirement { progress.last = old.last ?? progress.last }
    if case .rate(let count, _) = rule.requirement {
      progress.begins += old.map { $0.begin }
      progress.begins.removeFirst(max(0, progress.begins.count - count))
    }
    progress.settled = max(progress.settled, instant)
  }

  /// Finds the first command without its answer before an instant.
  mutating func settleAnswers(_ record: SessionRecord, before instant: Instant) {
    guard progress.unanswered == nil else { return }
    progress.unanswered = firstUnanswered(record, before: instant, answers: &progress.answers)
    progress.command =
      record.commands.firstIndex { $0.last >= instant } ?? record.commands.endIndex
  }

  private func held(ifAny commands: [SentCommand], _ record: SessionRecord) -> Decision {
    guard record.end != nil else { return .open(until: nil) }
    if progress.count + commands.count > 0 { return .holds(after: place) }
    return untested("the sender sent no command", record)
  }
}

extension Fate {
  /// The fate in words that follow "was".
  fileprivate var words: String {
    switch self {
    case .letter, .digit, .terminator, .taken: "taken"
    case .skipped: "skipped"
    case .swallowed: "swallowed (it ended a number and was lost with it)"
    case .junk: "junk (no command begins with it)"
    case .purged: "discarded (after junk the sketch empties its buffer)"
    case .abandoned: "abandoned with its number"
    case .ringFull, .uartOverrun, .parity, .booting, .cleared: "lost (\(reason))"
    case .waiting: "still waiting at the end"
    case .wireLost: "lost (on the wire)"
    case .adapterLost: "lost (in the adapter)"
    case .arrived: "received"
    }
  }
}

/// A mishap, and where it occurred.
struct FoundMishap: Hashable, Sendable {
  var mishap: Mishap
  var time: Instant
  /// What happened, as a sentence without its full stop.
  var text: String
  /// The session's event, counted from 0; nil if it is not known.
  var event: Int?
  /// What became of the byte; nil if it was not a byte.
  var fate: Fate?
  /// Why the board lost it; nil if it did not.
  var loss: Output.Loss?
}
