package import Sketches
package import Traces

/// A rule about a session whose line has faults.
package enum FaultRule: Hashable, Sendable, CustomStringConvertible {
  /// None of these happens, except near a fault.
  case neverUnless([Mishap])
  /// The first whole command after the last fault is obeyed in this time.
  case recovers(within: Interval)
  /// Such a fault, or any if it is nil, strikes in at least one session of the suite, while the
  /// sketch does something.
  case sometimes(FaultStrike.Kind?, while: KnownActivity?)

  package var description: String {
    switch self {
    case .neverUnless(let mishaps):
      "never \(mishaps.map { $0.rawValue }.joined(separator: ", ")) unless fault"
    case .recovers(let limit): "recovers within \(String(readable: limit)) after fault"
    case .sometimes(let kind, let activity):
      "sometimes fault \(kind?.rawValue ?? "any")"
        + (activity.map { " while \($0.rawValue)" } ?? "")
    }
  }

  /// Whether another session of the suite can meet it.
  package var isAboutSuite: Bool { if case .sometimes = self { true } else { false } }
}

/// The faults of a session, and how long each can explain what happens.
struct FaultRecord: Hashable, Sendable {
  struct Strike: Hashable, Sendable {
    var time: Instant
    var kind: FaultStrike.Kind
    /// Whether it struck what the board sent.
    var isReturn: Bool
    /// The session's event, counted from 0.
    var event: Int
  }

  /// Those that are kept, in order of time.
  private(set) var strikes: ArraySlice<Strike> = []
  /// Until when each of them can explain a mishap.
  private var ends: ArraySlice<Instant> = []
  /// How often each kind has struck.
  private(set) var counts: [FaultStrike.Kind: Int] = [:]

  /// How long after a fault, or after the restart that it caused, a mishap counts as its effect.
  static let effect = Interval.seconds(1)

  mutating func take(_ strike: FaultStrike, at time: Instant, event: Int) {
    strikes.append(Strike(time: time, kind: strike.kind, isReturn: strike.isReturn, event: event))
    ends.append(time + Self.effect)
    counts[strike.kind, default: 0] += 1
  }

  mutating func restart(at time: Instant, deadTime: Interval) {
    guard let last = strikes.last, last.time == time, last.kind == .reset || last.kind == .unplug
    else { return }
    ends[ends.endIndex - 1] = time + deadTime + Self.effect
  }

  /// Forgets the faults whose effect was over before an instant, but for the last one that the
  /// board can have to recover from.
  mutating func drop(before instant: Instant) {
    let first = ends.dropping(tail: 0) { $0 < instant }
    guard let last = strikes.lastIndex(where: { !$0.isReturn }) ?? strikes.indices.last else {
      return
    }
    strikes = strikes[min(first, last)...]
    ends = ends[strikes.startIndex...]
  }

  /// The last fault that the board can have to recover from.
  var last: Strike? { strikes.last { !$0.isReturn } }

  /// Whether a fault can explain what happened at an instant on the board.
  func explains(_ instant: Instant) -> Bool {
    strikes.indices.contains {
      !strikes[$0].isReturn && strikes[$0].time <= instant && instant <= ends[$0]
    }
  }
}

extension RuleJudge {
  func decide(recovers limit: Interval, _ record: SessionRecord) -> Decision {
    // Only the end shows which fault was the last.
    guard let end = record.end else { return .open(until: nil) }
    guard let last = record.faults.last else { return untested("no fault struck", record) }
    let fault = "the last fault, \(last.kind.rawValue), struck at \(last.time.text)"
    let known = progress.recovery.flatMap { $0.strike == last ? $0 : nil }
    guard let next = known?.next ?? record.commandsAfterFault.first else {
      return fails(
        [fault, "no whole command followed, so the rule could not be tested"], at: last.time,
        event: last.event, cause: .untested, record)
    }
    let shown = known?.shown ?? shownRecovery(within: limit, record, before: .distantFuture)
    guard let command = record.knowsFates ? next : shown else {
      return fails(
        [
          fault, "no output followed \(next.quoted), which came at \(next.begin.text)",
          "it can have changed nothing, so the rule could not be tested; send two commands "
            + "before the fault that each have an output, and both again after it",
        ], at: next.begin, event: next.event, cause: .untested, record)
    }
    let due = command.begin + limit
    let obeyed = known?.obeyed ?? record.obeyed(command)
    if let obeyed, obeyed <= due { return .holds(after: place) }
    let what = command == next ? "next whole command" : "first command that must have an output"
    var notes = [fault, "the \(what), \(command.quoted), came at \(command.begin.text)"]
    var cause = RuleFailure.Cause()
    if due > end {
      // A longer session could have shown that it is obeyed.
      cause = .untested
      notes.append("the session ended at \(end.text), before the time was up")
    } else if let obeyed {
      notes.append(
        (record.knowsFates ? "it was obeyed at" : "the next output followed at")
          + " \(obeyed.text), \(String(readable: obeyed - due)) late")
    } else {
      notes.append(
        record.knowsFates
          ? "the sketch did not take all of it as a command"
          : "no output followed, as it did at another time")
    }
    return fails(notes, at: command.begin, event: command.event, cause: cause, record)
  }

  /// What is known about the recovery from a fault.
  struct Recovery: Hashable, Sendable {
    var strike: FaultRecord.Strike
    /// The next whole command, and the one that shows whether the board has recovered.
    var next: SentCommand?
    var shown: SentCommand?
    var obeyed: Instant?
  }

  /// Settles the commands that were over before an instant.
  mutating func settle(recovers limit: Interval, _ record: SessionRecord, before instant: Instant) {
    if let last = record.faults.last, last.time < instant {
      var recovery =
        progress.recovery.flatMap { $0.strike == last ? $0 : nil } ?? Recovery(strike: last)
      if recovery.next == nil, let next = record.commandsAfterFault.first, next.last < instant {
        recovery.next = next
      }
      if recovery.shown == nil {
        recovery.shown =
          record.knowsFates
          ? recovery.next : shownRecovery(within: limit, record, before: instant)
        recovery.obeyed = recovery.shown.flatMap { record.obeyed($0) }
      }
      progress.recovery = recovery
    }
    if !record.knowsFates {
      let new = newCommands(record, before: instant)
      for (command, kinds) in zip(new, record.shown(by: new, within: limit))
      where command.form == .whole {
        // Only so many texts: a sender of numbers has few.
        guard progress.usual.count < Self.textsMax || progress.usual[command.text] != nil else {
          continue
        }
        progress.usual[command.text, default: []].formUnion(kinds)
      }
      progress.last = new.last { $0.form == .whole } ?? progress.last
    }
    progress.settled = max(progress.settled, instant)
  }

  /// The maximum number of different commands whose usual outputs are known.
  private static let textsMax = 10_000

  private func newCommands(
    _ record: SessionRecord, before instant: Instant
  ) -> ArraySlice<SentCommand> {
    let commands = record.commands
    let first = commands.firstIndex { $0.last >= progress.settled } ?? commands.endIndex
    let end = commands[first...].firstIndex { $0.last >= instant } ?? commands.endIndex
    return commands[first..<end]
  }

  /// The first command after the last fault whose outputs show whether the board has recovered,
  /// among those that have not been settled and were over before an instant.
  private func shownRecovery(
    within limit: Interval, _ record: SessionRecord, before instant: Instant
  ) -> SentCommand? {
    record.commandThatShows(
      within: limit, among: newCommands(record, before: instant), after: progress.last,
      usual: progress.usual)
  }

  func decide(
    sometimes kind: FaultStrike.Kind?, while activity: KnownActivity?, _ record: SessionRecord
  ) -> Decision {
    for strike in record.faults.strikes where kind == nil || kind == strike.kind {
      guard let activity else { return .holds(after: place) }
      // What the sketch did before a fault restarted it.
      let instant = max(.zero, strike.time - .nanoseconds(1))
      if record.activities.isDoing(activity, at: instant) { return .holds(after: place) }
    }
    guard record.end != nil else { return .open(until: nil) }
    let counts = record.faults.counts
    let all = kind.map { counts[$0] ?? 0 } ?? counts.values.reduce(0, +)
    let name = kind.map { "the fault \($0.rawValue)" } ?? "a fault"
    let struck =
      all == 0
      ? "\(name) never struck"
      : "\(name) struck \(String(counting: all, "time")), never while the sketch was "
        + "\(activity?.words ?? "")"
    // Another session of the suite can have seen it.
    return fails([struck], cause: .untested, record)
  }
}

extension SessionRecord {
  /// Returns when it is known whether the board has recovered; zero if no command shows it.
  func recovery(within limit: Interval) -> Instant {
    // Without fates, a later command can be the one that shows it.
    let command = knowsFates ? commandsAfterFault.first : commandsAfterFault.last
    return command.map { $0.begin + limit } ?? .zero
  }

  /// The whole commands after the last fault.
  fileprivate var commandsAfterFault: LazyFilterSequence<ArraySlice<SentCommand>> {
    let begin = faults.last?.time ?? .distantFuture
    return commands.lazy.filter {
      $0.begin >= begin && $0.form == .whole && !$0.isRefused && isJudged($0)
    }
  }

  /// Whether the fates of bytes are the device's own.
  fileprivate var knowsFates: Bool { setup.reportsFates && setup.profile == nil }

  /// The first command after the last fault whose outputs show whether the board has recovered;
  /// nil if there is none. It has an output, or it must have one if it is obeyed: another one came
  /// right before it, and both had outputs of the same kind at another time. After a restart it is
  /// not known what the state is. `before` and `usual`: the last of the earlier commands, and what
  /// followed those.
  fileprivate func commandThatShows(
    within limit: Interval, among commands: ArraySlice<SentCommand>, after before: SentCommand?,
    usual known: [[UInt8]: Set<Output.Kind>]
  ) -> SentCommand? {
    guard let last = faults.last else { return nil }
    let shown = shown(by: commands, within: limit)
    var usual = known
    for (command, kinds) in zip(commands, shown) where command.form == .whole {
      usual[command.text, default: []].formUnion(kinds)
    }
    let restarts = mishaps.filter { $0.mishap == .reset }.map { $0.time }
    var before = before
    for (command, kinds) in zip(commands, shown) where command.form == .whole {
      defer { before = command }
      guard command.begin >= last.time, !command.isRefused, isJudged(command) else { continue }
      if !kinds.isEmpty { return command }
      guard let before, before.text != command.text,
        let own = usual[command.text], let others = usual[before.text],
        !own.isDisjoint(with: others)
      else { continue }
      let restart = restarts.partitioningIndex { $0 > before.begin }
      if restart == restarts.endIndex || restarts[restart] > command.begin { return command }
    }
    return nil
  }

  /// Returns which outputs followed each command in this time, at most until the next.
  fileprivate func shown(
    by some: ArraySlice<SentCommand>, within limit: Interval
  ) -> [Set<Output.Kind>] {
    some.indices.map { index in
      let begin = commands[index].begin
      let next = index + 1 < commands.endIndex ? commands[index + 1].begin : .distantFuture
      let until = min(next, begin + limit)
      let first = events.partitioningIndex { $0.event.time > begin }
      let shown = events[first...].prefix { $0.event.time <= until }
      return Set(shown.compactMap { $0.event.output?.kind }).subtracting([.lost])
    }
  }

  /// Returns when a whole command was obeyed: when the sketch took its last byte or, where the
  /// device does not show that, when the first output followed. Nil if it was not.
  fileprivate func obeyed(_ command: SentCommand) -> Instant? {
    guard knowsFates else {
      let first = events.partitioningIndex { $0.event.time > command.begin }
      return events[first...].first { $0.event.output?.kind ?? .lost != .lost }?.event.time
    }
    guard let first = fates.firstIndex(where: { $0.arrived > command.begin }) else { return nil }
    let entries = fates[first...].prefix(command.text.count)
    guard entries.count == command.text.count,
      entries.map({ $0.byte }) == command.text,
      entries.allSatisfy({ $0.fate == .letter || $0.fate == .digit || $0.fate == .terminator })
    else { return nil }
    return entries.last?.taken
  }
}
