package import Sketches
import Traces

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
  /// Every pulse on a servo's pin differs from what the sketch stored by less than this, in
  /// microseconds.
  case twitch(below: Double)
  /// What is required of the longest stretch with interrupts off: it is shorter. Of the longest
  /// turn of `loop`: it is no longer.
  case longest(RunNote.Span, Interval)
  /// The program does nothing that a correct one does not do with its memory.
  case memory
  /// What is required of the servos' movements.
  case motion(MotionRule)
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
  /// What is required of a session whose line has faults.
  case faults(FaultRule)
  /// What is required of a turret that follows a face.
  case tracking(TrackingRule)
  /// What is required of the sender's process.
  case sender(SenderRule)
}

extension Requirement {
  /// What must not happen to bytes; none if the rule is about something else.
  package var mishaps: [Mishap] {
    switch self {
    case .never(let mishaps), .faults(.neverUnless(let mishaps)): mishaps
    default: []
    }
  }

  /// Whether how the program runs must be recorded, to judge it or to say why it fails.
  package var needsRecord: Bool {
    switch self {
    case .longest, .memory: return true
    default: break
    }
    return isAboutTwitches || mishaps.contains(.lost)
  }

  /// The word of a rule about how the program runs, which only a recorded run shows; nil for any
  /// other.
  package var runWord: String? {
    switch self {
    case .longest(.interruptsOff, _): "interrupts off"
    case .longest(.loop, _): "loop"
    case .memory: "memory"
    default: nil
    }
  }

  /// Whether it is about pulses that are not as stored.
  var isAboutTwitches: Bool {
    if case .twitch = self { true } else { mishaps.contains(.twitch) }
  }

  /// Whether it is about when and how often the sender sends.
  var isAboutPace: Bool {
    switch self {
    case .rate, .gap, .commands: true
    default: false
    }
  }

  /// How long a session must go on after its last byte for it to be decided.
  package var allowance: Interval {
    switch self {
    case .reaches(let reach):
      guard case .pin(let pin) = reach.target, case .pulse(_, let limits) = pin.condition,
        let most = limits.most
      else { return reach.within ?? .zero }
      return (reach.within ?? .zero) + most
    case .quiet(let length): return length
    case .faults(.recovers(let limit)): return limit
    default: return .zero
    }
  }

  /// What the sketch must be doing for the rule to apply; nil for anything.
  var activity: KnownActivity? {
    switch self {
    case .neverPin(_, let activity), .faults(.sometimes(_, let activity)): activity
    default: nil
    }
  }
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
    case .twitch(let limit): "twitch below \(String(shortest: limit)) us"
    case .longest(.interruptsOff, let limit): "interrupts off below \(String(readable: limit))"
    case .longest(.loop, let limit): "loop at most \(String(readable: limit))"
    case .memory: "memory sound"
    case .motion(let rule): rule.description
    case .quiet(let length): "quiet \(String(readable: length))"
    case .rate(let count, let time): "commands at most \(count) in \(String(readable: time))"
    case .gap(let length): "gap at least \(String(readable: length))"
    case .commands(let range): "commands \(Self.text(range))"
    case .ends(let state): "ends \(state)"
    case .golden(let golden): "trace \(PlainText.escaped(golden.path))"
    case .faults(let rule): rule.description
    case .tracking(let rule): rule.description
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

// What the rest of the bench asks of a rule, by its kind.
extension Rule {
  /// The outputs that the rule waits for.
  package var targets: [Target] {
    switch requirement {
    case .reaches(let reach): [reach.target]
    case .exactly(let targets): targets
    case .never, .neverPin, .angles, .twitch, .longest, .memory, .motion, .quiet, .rate, .gap,
      .commands,
      .ends, .golden, .faults, .tracking, .sender:
      []
    }
  }

  /// The names of the pins whose levels the rule is about. The session must watch them.
  package var pinNames: [String] {
    switch requirement {
    case .ends(let state): state.pins.map { $0.name }
    case .neverPin(let pin, _): [pin.name]
    default: targets.compactMap { $0.pinName }
    }
  }

  /// Whether the session must show a servo's pulses.
  package var needsPulses: Bool {
    if case .motion(.jump) = requirement { return true }
    return targets.contains { $0.kind == .pulse }
  }

  /// Whether it waits for an output. Any other rule concerns the session as a whole.
  package var isAwaited: Bool {
    switch requirement {
    case .reaches(let reach): !reach.isAboutAll
    case .exactly: true
    default: false
    }
  }

  /// Returns why the rule cannot be judged in such a session, whatever happens in it; nil if it
  /// can.
  package func objection(in setup: SessionSetup) -> String? {
    if case .longest(let span, _) = requirement { return setup.objection(to: span) }
    if case .memory = requirement { return setup.objectionToMemory }
    guard let sketch = setup.undescribedSketch else { return nil }
    let refusal = "cannot be judged without a profile: "
    let unknown = "the commands of the sketch \(PlainText.quoted(sketch)) are not known"
    let remedy = "\"profile\" in a scenario or --profile FILE describes them"
    switch requirement {
    case .never(let mishaps), .faults(.neverUnless(let mishaps)):
      let words = mishaps.filter { $0.requiresCommands }.map { $0.rawValue }
      guard !words.isEmpty else { return nil }
      return "\"never: \(words.joined(separator: ", "))\" \(refusal)\(unknown), so nothing says "
        + "which bytes that is; \(remedy). \"never: lost\" can be judged"
    case .rate, .gap, .commands, .faults(.recovers):
      return "\"\(requirement)\" \(refusal)\(unknown), so they cannot be counted; \(remedy)"
    case .motion(.commanded):
      return "\"\(requirement)\" \(refusal)\(unknown), so nothing says what is a command; \(remedy)"
    case .golden(let golden) where golden.gaps != nil:
      return "\"gaps\" \(refusal)\(unknown), so the gaps between them cannot be compared; \(remedy)"
    case .reaches, .exactly, .neverPin, .angles, .twitch, .longest, .memory, .motion, .quiet, .ends,
      .golden, .faults, .tracking, .sender:
      return nil
    }
  }

  /// The names of the servos that the rule is about, as in a `Target`.
  var servoNames: [String] {
    switch requirement {
    case .reaches, .exactly: targets.compactMap { $0.servoName }
    case .angles(_, let name): [name].compactMap { $0 }
    case .ends(let state): state.servos.compactMap { $0.name }
    case .never, .neverPin, .twitch, .longest, .memory, .motion, .quiet, .rate, .gap, .commands,
      .golden,
      .faults, .tracking, .sender:
      []
    }
  }

  /// Whether the rule must be met in the order of the list, after those before it.
  package var isInOrder: Bool {
    switch requirement {
    case .reaches(let reach): reach.isInOrder
    case .exactly: true
    case .never, .neverPin, .angles, .twitch, .longest, .memory, .motion, .quiet, .rate, .gap,
      .commands,
      .ends, .golden, .faults, .tracking, .sender:
      false
    }
  }
}

extension Requirement {
  /// The commands that it is about; nil if it names none.
  package var command: TextPattern? {
    if case .reaches(let reach) = self { reach.command } else { nil }
  }
}

/// An output that a rule waits for, and how long.
package struct Reach: Hashable, Sendable, CustomStringConvertible {
  package var target: Target
  /// How long it can take; nil for any time.
  package var within: Interval?
  /// The commands from whose first byte `within` is measured; nil if no command is named.
  package var command: TextPattern?
  /// The output must come earlier than this in the session; nil for any time.
  package var before: Instant?
  /// How many pulses on a pin there must be, each as the target requires it: in the time that
  /// `within` allows after the command, or in the whole session if no command is named. Nil if one
  /// is enough.
  package var count: ClosedRange<Int>?

  package init(
    _ target: Target, within: Interval? = nil, of command: TextPattern? = nil,
    before: Instant? = nil
  ) {
    self.target = target
    self.within = within
    self.command = command
    self.before = before
  }

  /// Whether it is met in the order in which it is listed.
  package var isInOrder: Bool { command == nil && before == nil && count == nil }
  /// Whether it concerns the session as a whole, so that only the end shows that it is met.
  package var isAboutAll: Bool { count != nil && command == nil }

  package var description: String {
    var text = target.description
    if let count { text += ", count \(Requirement.text(count))" }
    if let within { text += " within \(String(readable: within))" }
    if let command { text += " of \(command)" }
    if let before { text += " before \(String(readable: before - Instant.zero))" }
    return text
  }
}

/// The state required of a turret at the end of a session. A property that is nil is not required.
package struct FinalState: Hashable, Sendable, CustomStringConvertible {
  /// The commanded angle of a servo. `name` is as in a `Target`.
  package struct Servo: Hashable, Sendable {
    package var name: String?
    /// In whole degrees.
    package var degrees: ClosedRange<Int>

    package init(_ name: String?, at degrees: ClosedRange<Int>) {
      self.name = name
      self.degrees = degrees
    }
  }

  package var servos: [Servo]
  /// Each has a level.
  package var pins: [PinTarget]
  package var isSweeping: Bool?

  package init(servos: [Servo] = [], pins: [PinTarget] = [], isSweeping: Bool? = nil) {
    self.servos = servos
    self.pins = pins
    self.isSweeping = isSweeping
  }

  package var description: String {
    var parts = servos.map { Target.servo($0.degrees, name: $0.name).description }
    parts += pins.map { $0.description }
    if let isSweeping { parts.append(isSweeping ? "sweeping" : "not sweeping") }
    return parts.joined(separator: ", ")
  }
}

/// Something that should not happen to what a sender sends. The raw value is the word in a rule.
package enum Mishap: String, Hashable, Sendable, CaseIterable {
  /// A byte never reached the sketch, or was in the ring when the board restarted, or was still
  /// waiting at the end.
  case lost
  /// A byte is unknown to the sketch, or was discarded by the purge that an unknown byte starts.
  case junk
  /// A byte ended a number and was lost with it.
  case swallowed
  /// A number was not used: it was refused, timed out, or was broken off.
  case abandoned
  /// The answer that the profile states for a command did not follow, or one that it does not
  /// state.
  case unanswered
  /// The gateway refused a message.
  case refused
  /// A byte was sent at another speed than the board's.
  case wrongSpeed = "wrong-speed"
  /// The board restarted.
  case reset
  /// The supply's voltage fell so low that the board restarted.
  case brownOut = "brown-out"
  /// A pulse on a servo's pin was not as the sketch had stored.
  case twitch

  /// What `--strict` forbids.
  package static let strict: [Mishap] = [
    .lost, .junk, .swallowed, .abandoned, .refused, .wrongSpeed,
  ]

  /// Whether only the sketch's commands show that it has happened.
  var requiresCommands: Bool {
    switch self {
    case .junk, .swallowed, .abandoned, .unanswered: true
    case .lost, .refused, .wrongSpeed, .reset, .brownOut, .twitch: false
    }
  }

  /// The mishap of a byte with this fate; nil if the fate is not a mishap.
  package init?(_ fate: Fate) {
    switch fate {
    case .ringFull, .uartOverrun, .parity, .booting, .cleared, .waiting, .wireLost, .adapterLost:
      self = .lost
    case .junk, .purged: self = .junk
    case .swallowed: self = .swallowed
    case .abandoned: self = .abandoned
    case .letter, .digit, .terminator, .skipped, .taken, .arrived: return nil
    }
  }
}

/// The trace that a session must agree with.
package struct Golden: Hashable, Sendable {
  package var path: String
  /// How early or late an output can be; nil for the default.
  package var tolerance: Interval?
  /// How far the sender's gaps can differ from the trace's; nil if they are not judged.
  package var gaps: Interval?

  package init(path: String, tolerance: Interval? = nil, gaps: Interval? = nil) {
    self.path = path
    self.tolerance = tolerance
    self.gaps = gaps
  }
}

/// What is required of the sender's process.
package enum SenderRule: Hashable, Sendable, CustomStringConvertible {
  /// Its exit status.
  case exit(Int)
  /// Its standard error, without the last line break.
  case standardError(TextPattern)
  /// It ends without being stopped, at most this long after it was started.
  case stops(Interval)

  package var description: String {
    switch self {
    case .exit(let status): "exit \(status)"
    case .standardError(let pattern): "stderr \(pattern)"
    case .stops(let length): "stops within \(String(readable: length))"
    }
  }
}
