package import Sketches
import Traces

// Finding an output that a rule waits for.
extension SessionRecord {
  /// A place in the session from which a search continues: after an output that was found, or from
  /// an instant on.
  package struct Position: Hashable, Sendable {
    package var time: Instant
    /// The sequence of the output that was found; nil if there is none.
    var sequence: OutputSequence?
    /// Its index in the sequence.
    var index = 0

    package init(time: Instant = .zero) { self.time = time }

    init(time: Instant, sequence: OutputSequence, index: Int) {
      self.time = time
      self.sequence = sequence
      self.index = index
    }

    /// Returns the indices of a sequence's outputs after this position.
    func rest(
      of sequence: OutputSequence, in range: Range<Int>, time: (Int) -> Instant
    ) -> Range<Int> {
      var first = range.partitioningIndex { time($0) >= self.time }
      if sequence == self.sequence { first = max(first, index + 1) }
      return first..<max(first, range.upperBound)
    }
  }

  /// Returns the first output that meets the target, after a position and by an instant. `present`:
  /// whether a level that a pin has at the position is enough; otherwise it must change to it.
  func first(
    _ target: Target, after position: Position, by end: Instant, present: Bool = true
  ) -> Position? {
    if case .shaft(let range, let name) = target {
      return servo(named: name).shaft
        .firstTime(in: range, from: position.time, to: min(end, complete))
        .map { Position(time: $0) }
    }
    if case .pin(let pin) = target, present, let time = has(pin, from: position.time), time <= end {
      return Position(time: time)
    }
    let sequence = sequence(of: target)
    let (range, time) = outputs(sequence)
    for index in position.rest(of: sequence, in: range, time: time) {
      let time = time(index)
      guard time <= end else { return nil }
      if meets(target, index) { return Position(time: time, sequence: sequence, index: index) }
    }
    return nil
  }

  /// Returns the first run of outputs that meet the targets one by one, with no other output of
  /// their kinds between them. Outputs of other servos do not count.
  func first(exactly targets: [Target], after position: Position) -> Position? {
    var sequences: [OutputSequence] = []
    for sequence in targets.map(sequence(of:)) where !sequences.contains(sequence) {
      sequences.append(sequence)
    }
    var all: [Position] = []
    // Before the first output that is kept of each kind, others can be missing.
    var known = Instant.zero
    for sequence in sequences {
      let (range, time) = outputs(sequence)
      if let first = range.first, first > 0 { known = max(known, time(first)) }
      for index in position.rest(of: sequence, in: range, time: time) {
        all.append(Position(time: time(index), sequence: sequence, index: index))
      }
    }
    all.removeAll { $0.time < known }
    all.sort { $0.time < $1.time }
    guard all.count >= targets.count else { return nil }
    for start in 0...(all.count - targets.count) {
      let run = all[start..<(start + targets.count)]
      if zip(run, targets).allSatisfy({ $0.sequence == sequence(of: $1) && meets($1, $0.index) }) {
        return run.last
      }
    }
    return nil
  }

  /// Whether a servo has an angle already when a command begins, and keeps it, at least until the
  /// next command. Without a model, nothing else shows that a sketch was told that angle again. A
  /// command of which a byte was lost was not taken.
  func keeps(_ target: Target, after command: SentCommand, by limit: Instant) -> Bool {
    guard setup.profile != nil, case .servo(let range, let name) = target else { return false }
    // A longer session could have shown another angle in time.
    if let end, limit != .distantFuture, limit > end { return false }
    let writes = servo(named: name).writes
    let after = writes.partitioningIndex { $0.time > command.begin }
    let following = commands.partitioningIndex { $0.begin > command.last }
    let next = following < commands.endIndex ? commands[following].begin : .distantFuture
    guard after > writes.startIndex, writes[after - 1].isIn(range),
      twitches(of: name, after: after - 1).isEmpty,
      !writes[after...].contains(where: { $0.time <= min(limit, next) })
    else { return false }
    func last(_ kind: Output.Kind) -> Instant? {
      pulseChanges[OutputSequence(kind: kind, pin: setup.pin(ofServo: name))]?
        .last { $0 <= command.begin }
    }
    // A restarted sketch that stores a width at once begins its pulses with that.
    let on = max(last(.attached) ?? .zero, writes[after - 1].time)
    if let off = last(.detached), on < off { return false }
    // The board notices a loss up to two bytes later.
    let heard = command.last + .nanoseconds(3 * 10_000_000_000 / Int64(setup.baud))
    return !mishaps.contains {
      $0.mishap == .lost && $0.time >= command.begin && $0.time <= heard
    }
  }

  /// Describes the first output of the target's kind after an instant; nil if there is none.
  func instead(of target: Target, after instant: Instant) -> (text: String, time: Instant)? {
    let sequence = sequence(of: target)
    let (range, time) = outputs(sequence)
    let rest = Position(time: instant).rest(of: sequence, in: range, time: time)
    guard let first = rest.first else { return nil }
    let text =
      switch sequence.kind {
      case .servo: "\(target.subject) went to \(servo(on: sequence.pin).writes[first].degrees)"
      case .pulse:
        "the \(target.subject) was "
          + "\(String(shortest: servo(on: sequence.pin).pulses[first].width)) us"
      case .tone: "the tone was \(String(shortest: tones[first].hertz))"
      case .transmit:
        "the board sent \(PlainText.quoted(String(latin1: replies.lines[first].text)))"
      case .attached: "pulses began"
      case .detached: "the pulses stopped"
      case .pin: target.pinName.map { change(of: $0, at: first) } ?? ""
      // No rule is about another kind.
      default: "the board showed \(sequence.kind.name)"
      }
    return (text, time(first))
  }

  /// Returns a note that a sweep passed the angle that a rule waits for, and which rule is about
  /// that; at most one.
  func passed(_ target: Target, from start: Instant, by end: Instant) -> [String] {
    guard case .servo(let range, let name) = target,
      let step = servo(named: name).writes.first(where: {
        $0.isStep && range.contains($0.degrees) && $0.time >= start && $0.time <= end
      })
    else { return [] }
    // A step is a degree.
    let (low, high) = (Double(range.lowerBound) - 1, Double(range.upperBound) + 1)
    let middle = String(shortest: (low + high) / 2)
    let error = String(shortest: (high - low) / 2)
    let rule = "\(Target.subject("shaft", name)): \(middle) ± \(error)"
    return [
      "a sweep passed \(step.degrees) at \(step.time.text), which \"servo\" does not count as "
        + "reached: \"\(rule)\" does"
    ]
  }

  private func sequence(of target: Target) -> OutputSequence {
    switch target {
    case .attached(let name), .detached(let name):
      // These events always name their pin.
      OutputSequence(kind: target.kind, pin: setup.pin(ofServo: name))
    case .pin(let pin): OutputSequence(kind: target.kind, pin: setup.pin(named: pin.name))
    default: OutputSequence(kind: target.kind, pin: pin(ofServo: target.servoName))
    }
  }

  /// Returns the indices of a sequence's outputs that are kept, and when each of them was.
  private func outputs(
    _ sequence: OutputSequence
  ) -> (range: Range<Int>, time: (Int) -> Instant) {
    switch sequence.kind {
    case .servo:
      let writes = servo(on: sequence.pin).writes
      return (writes.indices, { writes[$0].time })
    case .pulse:
      let pulses = servo(on: sequence.pin).pulses
      return (pulses.indices, { pulses[$0].time })
    case .tone: return (tones.indices, { tones[$0].time })
    case .transmit: return (replies.lines.indices, { replies.lines[$0].time })
    case .attached, .detached:
      let changes = pulseChanges[sequence] ?? []
      return (changes.indices, { changes[$0] })
    case .pin:
      let edges = levels(of: sequence.pin).edges
      return (edges.indices, { edges[$0].time })
    default: return (0..<0, { _ in .distantFuture })
    }
  }

  private func meets(_ target: Target, _ index: Int) -> Bool {
    switch target {
    case .servo(let range, let name):
      servo(named: name).writes[index].isIn(range) && twitches(of: name, after: index).isEmpty
    case .pulse(let range, let name): range.contains(servo(named: name).pulses[index].width)
    case .tone(let hertz): abs(tones[index].hertz - hertz) <= hertz * Target.toneError
    case .transmit(let pattern): pattern.matches(replies.lines[index].text)
    case .attached, .detached: true
    case .pin(let pin): self.pin(named: pin.name).meets(pin.condition, at: index)
    case .shaft: false
    }
  }
}

// What a failed rule shows of the session.
extension SessionRecord {
  /// How many lines are shown on either side of the broken one, and among how many events they are
  /// looked for.
  private static let reach = 2
  static let eventsMax = 300

  func failure(
    _ rule: Rule, _ notes: [String], at instant: Instant? = nil, event: Int? = nil,
    cause: RuleFailure.Cause = .init()
  ) -> RuleFailure {
    var failure = RuleFailure(rule: rule, notes: notes, time: instant, events: [])
    failure.cause = cause
    guard let event, events.indices.contains(event) else { return failure }
    let pins = Set(rule.pinNames.compactMap { setup.pin(named: $0) })
    // The levels of a pin that the rule is not about can change all the time.
    func isShown(_ index: Int) -> Bool {
      guard case .pin(let pin, _) = events[index].event.output else { return true }
      return pins.contains(pin) || index == event
    }
    let near = events.indices.clamped(to: event - Self.eventsMax..<event + Self.eventsMax)
    var lines: [Divergence.Neighbour] = []
    var sent: Int?
    var broken = 0
    for index in near where isShown(index) {
      let isJoined = sent.map { lines[$0].join(events[index].event) } ?? false
      if !isJoined {
        if events[index].event.output?.kind == .transmit { sent = lines.count }
        lines.append(events[index])
      }
      if index == event { broken = isJoined ? sent ?? 0 : lines.count - 1 }
    }
    let first = max(0, broken - Self.reach)
    failure.events = Array(lines[first..<min(lines.count, broken + Self.reach + 1)])
    failure.broken = broken - first
    return failure
  }

  /// Returns what the sketch was doing at an instant, in the model, and until when; nil if that is
  /// unknown.
  func doing(at instant: Instant) -> (period: ActivityLog.Period, end: Instant?)? {
    setup.profile == nil ? activities.doing(at: instant) : nil
  }

  /// Returns a note on what the sketch was doing at an instant, in a list of at most one.
  func activityNote(at instant: Instant) -> [String] {
    guard let (period, end) = doing(at: instant) else { return [] }
    let rest = isSettling ? " to \(complete.text) at least" : " on"
    let until = end.map { " to \($0.text)" } ?? rest
    return ["the sketch was \(period.activity.phrase) from \(period.begin.text)\(until)"]
  }

  /// The maximum number of commands that a note lists, and that are compared for it.
  private static let listedMax = 5
  private static let comparedMax = 10_000

  /// Describes what was sent instead of a command, the most similar first.
  func sentInstead(of pattern: TextPattern) -> String {
    var texts: [String] = []
    var changes: [String: Int] = [:]
    for command in namedCommands.prefix(Self.comparedMax) where changes[command.quoted] == nil {
      texts.append(command.quoted)
      changes[command.quoted] = pattern.changes(to: command.text)
    }
    guard !texts.isEmpty else { return "nothing was sent" }
    // At equal similarity, in the order in which they were sent.
    let nearest = texts.enumerated().sorted {
      (changes[$0.element] ?? 0, $0.offset) < (changes[$1.element] ?? 0, $1.offset)
    }.map { $0.element }
    let rest = nearest.count - Self.listedMax
    return "what was sent instead: " + nearest.prefix(Self.listedMax).joined(separator: ", ")
      + (rest > 0 ? " and \(rest) more" : "")
  }

  /// Returns the last event by an instant, counted from 0; nil if there is none.
  func event(by instant: Instant) -> Int? {
    let after = events.partitioningIndex { $0.event.time > instant }
    return after > events.startIndex ? after - 1 : nil
  }
}

extension Event {
  /// The event as a line of a trace, without the line feed.
  package var line: String {
    var line: [UInt8] = []
    line.appendLine(self)
    if line.last == 0x0A { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}

extension ArraySlice {
  /// Removes the first elements that are over, but for the last `tail` of those. The others keep
  /// their indices.
  mutating func drop(tail: Int, where isOver: (Element) -> Bool) {
    self = self[dropping(tail: tail, where: isOver)...]
  }

  /// Returns the index of the first element that this would keep.
  func dropping(tail: Int, where isOver: (Element) -> Bool) -> Int {
    Swift.max(startIndex, (firstIndex { !isOver($0) } ?? endIndex) - tail)
  }
}
