import Traces
package import Turret

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

    /// Returns the index of the first of a sequence's outputs after this position.
    func first(_ sequence: OutputSequence, count: Int, time: (Int) -> Instant) -> Int {
      let first = (0..<count).partitioningIndex { time($0) >= self.time }
      return sequence == self.sequence ? max(first, index + 1) : first
    }
  }

  /// Returns the first output that meets the target, after a position and by an instant.
  func first(_ target: Target, after position: Position, by end: Instant) -> Position? {
    if case .shaft(let range, let name) = target {
      return servo(named: name).shaft
        .firstTime(in: range, from: position.time, to: min(end, complete))
        .map { Position(time: $0) }
    }
    let sequence = sequence(of: target)
    let first = position.first(sequence, count: count(sequence)) { time(sequence, $0) }
    for index in first..<max(first, count(sequence)) {
      let time = time(sequence, index)
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
    for sequence in sequences {
      let first = position.first(sequence, count: count(sequence)) { time(sequence, $0) }
      for index in first..<max(first, count(sequence)) {
        all.append(Position(time: time(sequence, index), sequence: sequence, index: index))
      }
    }
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

  /// Describes the first output of the target's kind after an instant; nil if there is none.
  func instead(of target: Target, after instant: Instant) -> (text: String, time: Instant)? {
    let sequence = sequence(of: target)
    let first = Position(time: instant).first(sequence, count: count(sequence)) {
      time(sequence, $0)
    }
    guard first < count(sequence) else { return nil }
    let text =
      switch sequence.kind {
      case .servo: "\(target.subject) went to \(servo(on: sequence.pin).writes[first].degrees)"
      case .pulse:
        "the \(target.subject) was "
          + "\(String(shortest: servo(on: sequence.pin).pulses[first].width)) us"
      case .tone: "the tone was \(String(shortest: tones[first].hertz))"
      case .transmit:
        "the board sent \(PlainText.quoted(String(latin1: replies.lines[first].text)))"
      // No rule is about another kind.
      default: "the board showed \(sequence.kind.name)"
      }
    return (text, time(sequence, first))
  }

  private func sequence(of target: Target) -> OutputSequence {
    OutputSequence(kind: target.kind, pin: pin(ofServo: target.servoName))
  }

  private func count(_ sequence: OutputSequence) -> Int {
    switch sequence.kind {
    case .servo: servo(on: sequence.pin).writes.count
    case .pulse: servo(on: sequence.pin).pulses.count
    case .tone: tones.count
    case .transmit: replies.lines.count
    default: 0
    }
  }

  private func time(_ sequence: OutputSequence, _ index: Int) -> Instant {
    switch sequence.kind {
    case .servo: servo(on: sequence.pin).writes[index].time
    case .pulse: servo(on: sequence.pin).pulses[index].time
    case .tone: tones[index].time
    case .transmit: replies.lines[index].time
    default: .distantFuture
    }
  }

  private func meets(_ target: Target, _ index: Int) -> Bool {
    switch target {
    case .servo(let range, let name): servo(named: name).writes[index].isIn(range)
    case .pulse(let range, let name): range.contains(servo(named: name).pulses[index].width)
    case .tone(let hertz): abs(tones[index].hertz - hertz) <= hertz * Target.toneError
    case .transmit(let pattern): pattern.matches(replies.lines[index].text)
    case .shaft: false
    }
  }
}
