import Traces
package import Turret

// Finding an output that a rule waits for.
extension SessionRecord {
  /// What comes after an output that was found, or from an instant on.
  package struct Position: Hashable, Sendable {
    package var time: Instant
    /// The kind of the output that was found; nil if there is none.
    var kind: Output.Kind?
    /// Its index among the outputs of its kind.
    var index = 0

    package init(time: Instant = .zero) { self.time = time }

    init(time: Instant, kind: Output.Kind, index: Int) {
      self.time = time
      self.kind = kind
      self.index = index
    }

    /// The first of the outputs, of one kind and in order of time, that comes after this position.
    func first(_ kind: Output.Kind, count: Int, time: (Int) -> Instant) -> Int {
      let first = (0..<count).partitioningIndex { time($0) >= self.time }
      return kind == self.kind ? max(first, index + 1) : first
    }
  }

  /// Returns the first output that meets the target, after a position and by an instant.
  func first(_ target: Target, after position: Position, by end: Instant) -> Position? {
    if case .shaft(let range) = target {
      return shaft.firstTime(in: range, from: position.time, to: min(end, complete))
        .map { Position(time: $0) }
    }
    let kind = target.kind
    let first = position.first(kind, count: count(kind)) { time(kind, $0) }
    for index in first..<max(first, count(kind)) {
      let time = time(kind, index)
      guard time <= end else { return nil }
      if meets(target, index) { return Position(time: time, kind: kind, index: index) }
    }
    return nil
  }

  /// Returns the first run of outputs that meet the targets one by one, with no other output of
  /// their kinds between them.
  func first(exactly targets: [Target], after position: Position) -> Position? {
    var kinds: [Output.Kind] = []
    for target in targets where !kinds.contains(target.kind) { kinds.append(target.kind) }
    var all: [Position] = []
    for kind in kinds {
      let first = position.first(kind, count: count(kind)) { time(kind, $0) }
      for index in first..<max(first, count(kind)) {
        all.append(Position(time: time(kind, index), kind: kind, index: index))
      }
    }
    all.sort { $0.time < $1.time }
    guard all.count >= targets.count else { return nil }
    for start in 0...(all.count - targets.count) {
      let run = all[start..<(start + targets.count)]
      if zip(run, targets).allSatisfy({ $0.kind == $1.kind && meets($1, $0.index) }) {
        return run.last
      }
    }
    return nil
  }

  /// Describes the first output of the target's kind after an instant; nil if there is none.
  func instead(of target: Target, after instant: Instant) -> (text: String, time: Instant)? {
    let kind = target.kind
    let first = Position(time: instant).first(kind, count: count(kind)) { time(kind, $0) }
    guard first < count(kind) else { return nil }
    let text =
      switch kind {
      case .servo: "servo went to \(servo[first].degrees)"
      case .pulse: "the pulse was \(String(shortest: pulses[first].width)) us"
      case .tone: "the tone was \(String(shortest: tones[first].hertz))"
      case .transmit:
        "the board sent \(PlainText.quoted(String(latin1: replies.lines[first].text)))"
      case .lost: "a byte was lost"
      case .pin: "a pin changed"
      }
    return (text, time(kind, first))
  }

  private func count(_ kind: Output.Kind) -> Int {
    switch kind {
    case .servo: servo.count
    case .pulse: pulses.count
    case .tone: tones.count
    case .transmit: replies.lines.count
    case .lost, .pin: 0
    }
  }

  private func time(_ kind: Output.Kind, _ index: Int) -> Instant {
    switch kind {
    case .servo: servo[index].time
    case .pulse: pulses[index].time
    case .tone: tones[index].time
    case .transmit: replies.lines[index].time
    case .lost, .pin: .distantFuture
    }
  }

  private func meets(_ target: Target, _ index: Int) -> Bool {
    switch target {
    case .servo(let range, _): !servo[index].isStep && range.contains(servo[index].degrees)
    case .pulse(let range): range.contains(pulses[index].width)
    case .tone(let hertz): abs(tones[index].hertz - hertz) <= hertz * Target.toneError
    case .transmit(let pattern): pattern.matches(replies.lines[index].text)
    case .shaft: false
    }
  }
}
