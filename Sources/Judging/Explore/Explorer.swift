package import Sketches
import Traces

/// Makes up sessions, and keeps those that showed something new to change them further.
///
///     var explorer = Explorer(grammar, seed: 1)
///     while isSearching {
///       let session = explorer.next()
///       explorer.take(run(session).traits)
///     }
///
/// It runs nothing itself, and depends only on its seed and on what it is told.
package struct Explorer: Sendable {
  /// The most inputs of a session.
  private static let eventsMax = 96
  /// The most bytes of a session.
  private static let bytesMax = 320
  /// The longest session.
  private static let longest = Interval.seconds(20)
  /// The most sessions that are kept.
  private static let corpusMax = 4_096
  /// Gaps between inputs: what senders do (back to back, 30 pictures a second, once a second), and
  /// the times of the sketches (15 ms for a step of a scan, 250 ms for a number).
  private static let gaps: [Interval] = [
    .zero, .zero, .microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(5),
    .milliseconds(10), .milliseconds(15), .milliseconds(20), .milliseconds(33),
    .milliseconds(60), .milliseconds(100), .milliseconds(200), .milliseconds(240),
    .milliseconds(260), .milliseconds(500), .seconds(1), .seconds(2),
  ]
  /// Bytes that programs mistake: line ends, the largest and the smallest, signs, a backspace.
  private static let oddBytes: [UInt8] = [
    0x0D, 0x0A, 0xFF, 0x00, 0x20, 0x2D, 0x2E, 0x2C, 0x08, 0x7F, 0x80,
  ]

  private let grammar: SessionGrammar
  private var random: RandomStream
  /// The sessions that are changed further, in the order in which they were found.
  package private(set) var corpus: [SessionInputs] = []
  /// What was seen so far.
  package private(set) var seen: Set<UInt32>
  /// Sessions to run as they are, the last one first.
  private var given: [SessionInputs]
  private var proposal: SessionInputs?
  /// The number of sessions that it made up.
  package private(set) var count = 0

  /// - Parameters:
  ///   - corpus: sessions that are known to show what is in `seen`.
  ///   - given: sessions to begin with.
  package init(
    _ grammar: SessionGrammar, random: RandomStream, corpus: [SessionInputs] = [],
    seen: Set<UInt32> = [], given: [SessionInputs] = []
  ) {
    self.grammar = grammar
    self.random = random
    self.corpus = corpus
    self.seen = seen
    self.given = given.reversed()
  }

  /// Returns the next session to run.
  package mutating func next() -> SessionInputs {
    count += 1
    let session = given.popLast() ?? makeUp()
    proposal = session
    return session
  }

  /// Takes what that session showed. Returns whether any of it is new.
  @discardableResult
  package mutating func take(_ traits: SessionTraits) -> Bool {
    guard let session = proposal else { return false }
    proposal = nil
    guard !traits.values.isSubset(of: seen) else { return false }
    seen.formUnion(traits.values)
    if corpus.count < Self.corpusMax { corpus.append(session) }
    return true
  }

  // MARK: Making up sessions

  /// An input, and how long after the one before it.
  private struct Step {
    var gap: Interval
    var kind: Event.Kind
  }

  private mutating func makeUp() -> SessionInputs {
    guard !corpus.isEmpty, !oneIn(8) else { return session(of: fresh()) }
    var steps = steps(of: pick())
    for _ in 0..<draw(1...4) { change(&steps) }
    return session(of: steps)
  }

  /// Every other time one of the newest, since what they show was changed least.
  private mutating func pick() -> SessionInputs {
    let newest = oneIn(2) ? min(16, corpus.count) : corpus.count
    return corpus[corpus.count - draw(1...newest)]
  }

  private mutating func fresh() -> [Step] {
    // After the start-up, or during it.
    var steps = [
      Step(
        gap: oneIn(4) ? .milliseconds(Int64(draw(0...1_200))) : Shrinker.start - .zero,
        kind: .receive(command()))
    ]
    for _ in 0..<draw(0...7) { steps.append(step()) }
    return steps
  }

  private mutating func step() -> Step {
    Step(gap: gap(), kind: oneIn(40) && grammar.restarts ? .reset(.zero) : .receive(bytes()))
  }

  private mutating func gap() -> Interval {
    oneIn(4)
      ? .microseconds(Int64(draw(0...300_000))) : Self.gaps[draw(0...Self.gaps.count - 1)]
  }

  /// A command most of the time; or a part of one, or one with an odd byte.
  private mutating func bytes() -> [UInt8] {
    if oneIn(10) { return [oddByte()] }
    var bytes = command()
    if oneIn(8), bytes.count > 1 { bytes.removeLast(draw(1...bytes.count - 1)) }
    if oneIn(12) { bytes.insert(oddByte(), at: draw(0...bytes.count)) }
    if oneIn(16) { bytes += [0x0D, 0x0A] }
    return bytes
  }

  private mutating func oddByte() -> UInt8 {
    switch draw(0...3) {
    case 0: UInt8(draw(0...255))
    case 1: UInt8(ascii: "0") + UInt8(draw(0...9))
    case 2 where !grammar.letters.isEmpty: grammar.letters[draw(0...grammar.letters.count - 1)]
    default: Self.oddBytes[draw(0...Self.oddBytes.count - 1)]
    }
  }

  private mutating func command() -> [UInt8] {
    guard !grammar.commands.isEmpty else { return (0..<draw(1...6)).map { _ in oddByte() } }
    let form = grammar.commands[draw(0...grammar.commands.count - 1)]
    var values: [Int32] = []
    for field in form.fields { values.append(value(in: field.range)) }
    return form.bytes(values)
  }

  /// Mostly a number in the range; or at its ends, or beyond them, where programs go wrong.
  private mutating func value(in range: ClosedRange<Int32>) -> Int32 {
    let (low, high) = (Int64(range.lowerBound), Int64(range.upperBound))
    let value: Int64 =
      switch draw(0...15) {
      case 0: low
      case 1: high
      case 2: high + 1
      case 3: low - 1
      case 4: (low + high) / 2
      case 5: high + Int64(draw(1...1_000))
      case 6: 65_536 + low + Int64(draw(0...180))
      case 7: 0
      default: random.draw(low...high)
      }
    return Int32(clamping: value)
  }

  // MARK: Changing sessions

  private mutating func change(_ steps: inout [Step]) {
    guard !steps.isEmpty else {
      steps = fresh()
      return
    }
    let index = draw(0...steps.count - 1)
    switch draw(0...11) {
    case 0, 1: steps.insert(step(), at: draw(0...steps.count))
    case 2: steps.remove(at: index)
    case 3: steps[index].gap = index == 0 ? steps[index].gap : gap()
    case 4:
      // A burst of the same.
      let copies = [Step](
        repeating: Step(gap: oneIn(2) ? .zero : gap(), kind: steps[index].kind),
        count: draw(1...24))
      steps.insert(contentsOf: copies, at: index + 1)
    case 5:
      for index in index..<min(steps.count, index + draw(1...8)) where index > 0 {
        steps[index].gap = .zero
      }
    case 6: steps[index].kind = .receive(bytes())
    case 7:
      changeBytes(of: &steps[index]) { bytes, own in
        bytes[own.draw(0...bytes.count - 1)] = own.oddByte()
      }
    case 8:
      changeBytes(of: &steps[index]) { bytes, own in
        bytes.remove(at: own.draw(0...bytes.count - 1))
      }
    case 9:
      let other = self.steps(of: pick())
      steps.replaceSubrange(index..., with: other.suffix(draw(1...max(1, other.count))))
    case 10: steps.removeSubrange(index..<min(steps.count, index + draw(1...6)))
    default: steps.swapAt(index, draw(0...steps.count - 1))
    }
  }

  private mutating func changeBytes(
    of step: inout Step, _ change: (inout [UInt8], inout Explorer) -> Void
  ) {
    guard case .receive(var bytes) = step.kind, !bytes.isEmpty else { return }
    change(&bytes, &self)
    if !bytes.isEmpty { step.kind = .receive(bytes) }
  }

  private func steps(of session: SessionInputs) -> [Step] {
    var last = Instant.zero
    return session.events.map { event in
      defer { last = event.time }
      return Step(gap: event.time - last, kind: event.kind)
    }
  }

  private func session(of steps: [Step]) -> SessionInputs {
    var time = Instant.zero
    var events: [Event] = []
    var bytesLeft = Self.bytesMax
    for step in steps.prefix(Self.eventsMax) {
      if case .receive(let bytes) = step.kind { bytesLeft -= bytes.count }
      time += step.gap
      guard bytesLeft >= 0, time - .zero <= Self.longest else { break }
      events.append(Event(time, step.kind))
    }
    var session = SessionInputs(
      firmware: grammar.firmware, baud: grammar.baud, events: events, end: time)
    session.end = session.shown + grammar.rest
    return session
  }

  private mutating func draw(_ range: ClosedRange<Int>) -> Int {
    Int(random.draw(Int64(range.lowerBound)...Int64(range.upperBound)))
  }

  private mutating func oneIn(_ count: Int) -> Bool { draw(1...count) == 1 }
}

/// What sessions are made of.
package struct SessionGrammar: Sendable {
  package var firmware: Firmware
  package var baud: Int
  /// The sketch's commands; none for bytes without a meaning.
  package var commands: [CommandForm]
  /// Whether the board can be restarted within a session.
  package var restarts = true
  /// How long a session continues after what it would show anyway: rules can allow more time.
  package var rest = Interval.zero

  package init(firmware: Firmware, baud: Int, commands: [CommandForm]) {
    self.firmware = firmware
    self.baud = baud
    self.commands = commands
  }

  /// The bytes of the commands that are always the same.
  var letters: [UInt8] {
    commands.flatMap { form in
      form.parts.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
    }
  }
}
