import Sketches
import Traces

/// A rule about how the servos of a turret move.
package enum MotionRule: Hashable, Sendable, CustomStringConvertible {
  /// Two pulses in a row on a servo's pin differ by less than this many degrees.
  case jump(below: Double)
  /// No servo gets another angle without a command.
  case commanded

  package var description: String {
    switch self {
    case .jump(let degrees): "jump below \(String(shortest: degrees)) degrees"
    case .commanded: "moves never unless commanded"
    }
  }
}

extension SessionRecord {
  /// Every servo, with the names of all but the session's own.
  fileprivate var servos: [(name: String?, servo: ServoRecord)] {
    [(nil, own)] + others.keys.sorted().map { ($0.name, servo(on: $0)) }
  }
}

extension RuleJudge {
  func decide(_ rule: MotionRule, _ record: SessionRecord) -> Decision {
    switch rule {
    case .jump(let limit): return decide(jumpBelow: limit, record)
    case .commanded:
      var progress = progress
      if let (move, note) = progress.takeMoves(of: record, before: .distantFuture) {
        return fails([note] + record.activityNote(at: move), at: move, record)
      }
      guard record.end != nil else { return .open(until: nil) }
      if record.servos.allSatisfy({ $0.servo.writes.endIndex == 0 }) {
        return untested("no servo was ever commanded", record)
      }
      return .holds(after: place)
    }
  }

  private func decide(jumpBelow limit: Double, _ record: SessionRecord) -> Decision {
    var first: (note: String, time: Instant)?
    var isTested = false
    for (name, servo) in record.servos {
      let pulses = servo.pulses
      if pulses.endIndex > 1 { isTested = true }
      let scale = record.scale(of: servo)
      for (last, next) in zip(pulses, pulses.dropFirst()) {
        let degrees = abs(next.width - last.width) / scale.perDegree
        guard degrees >= limit else { continue }
        if first.map({ next.time < $0.time }) ?? true {
          func text(_ number: Double) -> String {
            String(shortest: (number * 10).rounded() / 10)
          }
          first = (
            "the pulses of the \(Target.subject("servo", name)) went from \(text(last.width)) us "
              + "to \(text(next.width)) us at \(next.time.text): \(text(degrees)) degrees",
            next.time
          )
        }
        break
      }
    }
    if let first { return fails([first.note], at: first.time, record) }
    guard record.end != nil else { return .open(until: nil) }
    if !isTested { return untested("no servo had two pulses", record) }
    return .holds(after: place)
  }

  /// Settles the moves before an instant.
  mutating func settleMoves(_ record: SessionRecord, before instant: Instant) {
    _ = progress.takeMoves(of: record, before: instant)
  }
}

extension RuleJudge.Progress {
  /// How long after a command, or after a move that it caused, another move can be its effect: a
  /// sketch can turn a servo in steps.
  private static let effect = Interval.seconds(2)

  /// Takes the moves before an instant that have not been settled. Returns the first that no
  /// command can have caused; nil if there is none. The first angle of a servo is no move.
  fileprivate mutating func takeMoves(
    of record: SessionRecord, before instant: Instant
  ) -> (time: Instant, note: String)? {
    var moves: [(write: ServoWrite, from: Int, name: String?)] = []
    for (name, servo) in record.servos {
      for (last, next) in zip(servo.writes, servo.writes.dropFirst())
      where next.pulse != last.pulse && next.time >= settled && next.time < instant {
        moves.append((next, last.degrees, name))
      }
    }
    moves.sort { $0.write.time < $1.write.time }
    let commands = record.commands.filter {
      $0.form == .whole && !$0.isRefused && $0.begin >= settled && $0.begin < instant
    }
    let restarts = record.mishaps.filter {
      ($0.mishap == .reset || $0.mishap == .brownOut) && $0.time >= settled && $0.time < instant
    }
    var (command, restart) = (commands.startIndex, restarts.startIndex)
    /// Takes what can be the cause of a move at an instant, or ends what was one.
    func takeCauses(by time: Instant, _ progress: inout RuleJudge.Progress) {
      while command < commands.endIndex, commands[command].begin <= time {
        let end = min(commands[command].last, time)
        progress.cause = max(progress.cause ?? end, end)
        command += 1
      }
      while restart < restarts.endIndex, restarts[restart].time <= time {
        let time = restarts[restart].time
        if let cause = progress.cause, cause < time { progress.cause = nil }
        progress.restarted = time
        restart += 1
      }
    }
    for (write, from, name) in moves {
      takeCauses(by: write.time, &self)
      if write.isStep || cause.map({ write.time - $0 <= Self.effect }) ?? false {
        cause = write.time
        continue
      }
      let since =
        cause.map { "since \($0.text)" }
        ?? restarted.map { "since the board restarted at \($0.text)" } ?? "before it"
      return (
        write.time,
        "\(Target.subject("servo", name)) went from \(from) to \(write.degrees) at "
          + "\(write.time.text), and no command was sent \(since)"
      )
    }
    takeCauses(by: instant - .nanoseconds(1), &self)
    settled = max(settled, instant)
    return nil
  }
}
