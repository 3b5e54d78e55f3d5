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
    /// The session's event, counted from 0.
    var event: Int
  }

  private(set) var strikes: [Strike] = []
  /// Until when each of them can explain a mishap.
  private var ends: [Instant] = []

  /// How long after a fault, or after the restart that it caused, a mishap counts as its effect.
  static let effect = Interval.seconds(1)

  mutating func take(_ strike: FaultStrike, at time: Instant, event: Int) {
    strikes.append(Strike(time: time, kind: strike.kind, event: event))
    ends.append(time + Self.effect)
  }

  /// Takes a restart of the board.
  mutating func restart(at time: Instant, deadTime: Interval) {
    guard let last = strikes.last, last.time == time, last.kind == .reset || last.kind == .unplug
    else { return }
    ends[ends.count - 1] = time + deadTime + Self.effect
  }

  /// Whether a fault can explain what happened at an instant.
  func explains(_ instant: Instant) -> Bool {
    strikes.indices.contains { strikes[$0].time <= instant && instant <= ends[$0] }
  }
}

extension RuleJudge {
  func decide(_ faults: FaultRule, _ record: SessionRecord) -> Decision {
    switch faults {
    case .neverUnless(let mishaps): decide(never: mishaps, unlessFault: true, record)
    case .recovers(let limit): decide(recovers: limit, record)
    case .sometimes(let kind, let activity): decide(sometimes: kind, while: activity, record)
    }
  }

  private func decide(recovers limit: Interval, _ record: SessionRecord) -> Decision {
    // Only the end shows which fault was the last.
    guard let end = record.end else { return .open(until: nil) }
    guard let last = record.faults.strikes.last else {
      return .fails(
        record.failure(
          rule, ["no fault struck, so the rule could not be tested"], cause: .untested))
    }
    let fault = "the last fault, \(last.kind.rawValue), struck at \(last.time.text)"
    let following = record.commands.filter {
      $0.begin >= last.time && $0.form == .whole && !$0.isRefused
    }
    guard let next = following.first else {
      return .fails(
        record.failure(
          rule, [fault, "no whole command followed, so the rule could not be tested"],
          at: last.time, event: last.event, cause: .untested))
    }
    // Without the fates of its bytes, a command that changes nothing shows nothing.
    let command =
      record.knowsFates
      ? next
      : following.first {
        !record.shown(by: $0, within: limit).isEmpty || record.mustShow($0, within: limit)
      }
    guard let command else {
      return .fails(
        record.failure(
          rule,
          [
            fault, "no output followed \(next.quoted), which came at \(next.begin.text)",
            "it can have changed nothing, so the rule could not be tested; send two commands "
              + "before the fault that each have an output, and both again after it",
          ], at: next.begin, event: next.event, cause: .untested))
    }
    let due = command.begin + limit
    if let obeyed = record.obeyed(command), obeyed <= due { return .holds(after: place) }
    var notes = [fault, "the next whole command, \(command.quoted), came at \(command.begin.text)"]
    var cause = RuleFailure.Cause()
    if due > end {
      // A longer session could have shown that it is obeyed.
      cause = .untested
      notes.append("the session ended at \(end.text), before the time was up")
    } else if let obeyed = record.obeyed(command) {
      notes.append(
        (record.knowsFates ? "it was obeyed at" : "the next output followed at")
          + " \(obeyed.text), \(String(readable: obeyed - due)) late")
    } else {
      notes.append(
        record.knowsFates
          ? "the sketch did not take all of it as a command"
          : "no output followed, as it did at another time")
    }
    return .fails(
      record.failure(rule, notes, at: command.begin, event: command.event, cause: cause))
  }

  private func decide(
    sometimes kind: FaultStrike.Kind?, while activity: KnownActivity?, _ record: SessionRecord
  ) -> Decision {
    for strike in record.faults.strikes where kind == nil || kind == strike.kind {
      guard let activity else { return .holds(after: place) }
      // What the sketch did before a fault restarted it.
      let instant = max(.zero, strike.time - .nanoseconds(1))
      if record.activities.isDoing(activity, at: instant) { return .holds(after: place) }
    }
    guard record.end != nil else { return .open(until: nil) }
    let all = record.faults.strikes.count { kind == nil || kind == $0.kind }
    let name = kind.map { "the fault \($0.rawValue)" } ?? "a fault"
    let struck =
      all == 0
      ? "\(name) never struck"
      : "\(name) struck \(String(counting: all, "time")), never while the sketch was "
        + "\(activity?.words ?? "")"
    // Another session of the suite can have seen it.
    return .fails(record.failure(rule, [struck], cause: .untested))
  }
}

extension SessionRecord {
  /// Returns when it is known whether the command after the last fault was obeyed; zero if there is
  /// no such command.
  func recovery(within limit: Interval) -> Instant {
    guard let last = faults.strikes.last,
      let command = commands.first(where: { $0.begin >= last.time && $0.form == .whole })
    else { return .zero }
    return command.begin + limit
  }

  /// Whether the fates of bytes are the device's own.
  fileprivate var knowsFates: Bool { setup.reportsFates && setup.profile == nil }

  /// The kinds of output that followed a command in this time, at most until the next command.
  fileprivate func shown(by command: SentCommand, within limit: Interval) -> Set<Output.Kind> {
    let next = commands.first { $0.begin > command.begin }?.begin ?? .distantFuture
    let until = min(next, command.begin + limit)
    let first = events.partitioningIndex { $0.event.time > command.begin }
    let kinds = events[first...].prefix { $0.event.time <= until }.compactMap {
      $0.event.output?.kind
    }
    return Set(kinds).subtracting([.lost])
  }

  /// Whether a command must have an output if it is obeyed: another one came right before it, and
  /// both had outputs of the same kind at another time. After a restart it is not known what the
  /// state is.
  fileprivate func mustShow(_ command: SentCommand, within limit: Interval) -> Bool {
    func shown(by text: [UInt8]) -> Set<Output.Kind> {
      commands.reduce(into: []) { kinds, other in
        if other.form == .whole, other.text == text {
          kinds.formUnion(self.shown(by: other, within: limit))
        }
      }
    }
    let before = commands.last { $0.begin < command.begin && $0.form == .whole }
    guard let before, before.text != command.text,
      !mishaps.contains(where: {
        $0.mishap == .reset && before.begin < $0.time && $0.time <= command.begin
      })
    else { return false }
    return !shown(by: command.text).isDisjoint(with: shown(by: before.text))
  }

  /// Returns when a whole command was obeyed: when the sketch took its last byte or, where the
  /// device does not show that, when the first output followed. Nil if it was not.
  fileprivate func obeyed(_ command: SentCommand) -> Instant? {
    guard knowsFates else {
      let output = events.first { neighbour in
        guard let output = neighbour.event.output else { return false }
        return neighbour.event.time > command.begin && output.kind != .lost
      }
      return output?.event.time
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
