import Traces
package import Turret

/// What a rule requires of a session.
package enum Requirement: Hashable, Sendable {
  /// The largest number of commands that a rule can state.
  package static let countMax = Int(Int32.max)

  /// An output appears, in time.
  case reaches(Reach)
  /// These outputs appear in this order, and no other of their kinds between them.
  case exactly([Target])
  /// None of these happens until the end.
  case never([Mishap])
  /// A pin never has this level, or shows no such pulse: in the whole session, or while the sketch
  /// does something.
  case neverPin(PinTarget, while: KnownActivity? = nil)
  /// Every commanded angle of a servo is in this range, in degrees. `name` is as in a `Target`.
  case angles(ClosedRange<Int>, name: String? = nil)
  /// The session ends with at least this long without a byte or an output.
  case quiet(Interval)
  /// The sender begins at most `count` commands in any period of this length.
  case rate(count: Int, per: Interval)
  /// At least this much time passes from the beginning of one command to that of the next.
  case gap(Interval)
  /// The sender sends this many commands.
  case commands(ClosedRange<Int>)
  /// The state at the end.
  case ends(FinalState)
  /// The session agrees with a trace, as with `run --expect`.
  case golden(Golden)
  /// What is required of the sender's process.
  case sender(SenderRule)
}

extension Requirement: CustomStringConvertible {
  package var description: String {
    switch self {
    case .reaches(let reach): reach.description
    case .exactly(let targets):
      "exactly " + targets.map { $0.description }.joined(separator: ", ")
    case .never(let mishaps): "never " + mishaps.map { $0.rawValue }.joined(separator: ", ")
    case .neverPin(let pin, let activity):
      "never \(pin)" + (activity.map { " while \($0.rawValue)" } ?? "")
    case .angles(let range, let name):
      Target.subject("angles", name) + " \(range.lowerBound)..\(range.upperBound)"
    case .quiet(let length): "quiet \(String(readable: length))"
    case .rate(let count, let time): "commands at most \(count) in \(String(readable: time))"
    case .gap(let length): "gap at least \(String(readable: length))"
    case .commands(let range): "commands \(Self.text(range))"
    case .ends(let state): "ends \(state)"
    case .golden(let golden): "trace \(PlainText.escaped(golden.path))"
    case .sender(let rule): rule.description
    }
  }

  /// The range as it is stated in a rule. Its length can be more than an `Int` holds.
  static func text(_ range: ClosedRange<Int>) -> String {
    if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
    if range.upperBound == countMax { return "at least \(range.lowerBound)" }
    if range.lowerBound == 0 { return "at most \(range.upperBound)" }
    return "\(range.lowerBound)..\(range.upperBound)"
  }
}
