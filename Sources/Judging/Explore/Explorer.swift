package import Devices
package import Sketches
import Traces

/// Generates sessions, and keeps those that showed something new to change them further.
///
///     var explorer = Explorer(grammar, random: RandomStream(seed: 1, stream: 0))
///     while isSearching {
///       let session = explorer.next()
///       explorer.take(run(session).traits)
///     }
///
/// It runs nothing itself, and depends only on its seed and on what it is told.
package struct Explorer: Sendable {
  /// A session that showed something new, or that was given.
  package struct Kept: Sendable {
    /// As it was sent. This is what is changed further.
    var sent: SessionInputs
    /// The seed with which faults struck it.
    var faultSeed: UInt64
    /// As it reached the board, with the faults that struck it.
    package var session: SessionInputs
    package var traits = SessionTraits()
    /// Whether it was given, and not generated.
    package var isGiven = false

    /// About how much memory it takes, in bytes.
    package var size: Int {
      Self.size(of: sent) + Self.size(of: session) + 8 * traits.values.count
    }

    /// About how much memory its inputs take, in bytes.
    package static func size(of session: SessionInputs) -> Int {
      200 + 96 * session.events.count + session.counts.bytes
    }
  }

  /// What kept sessions take at most if nothing else is stated, in bytes.
  package static let usualMemory = 256 << 20
  /// The most inputs and bytes of a session, and the longest session.
  private static let eventsMax = 96
  private static let bytesMax = 320
  private static let longest = Interval.seconds(80)
  /// How long a board that the search restarts can take until its sketch listens.
  private static let startUp = Interval.milliseconds(1_600)
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

  private static let prefixes = ["0", "00", "000", "+", "-", "-0", " "]

  /// The speeds that senders use by mistake, in bits a second.
  private static let speeds = [1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 115_200]

  private let grammar: SessionGrammar
  private var random: RandomStream
  /// The sessions that are changed further, in the order in which they were found.
  package private(set) var corpus: [Kept] = []
  package private(set) var seen: TraitSet
  /// The faults that have struck at least once, by their numbers.
  package private(set) var struck: Set<Int> = []
  /// Sessions to run as they are, the last one first.
  private var given: [SessionInputs]
  private var proposal: Kept?
  private var family: Family?
  /// How much more memory kept sessions can take, in bytes.
  private var memoryLeft: Int
  /// Whether a session was not kept because of that.
  package private(set) var isFull = false
  /// - Parameters:
  ///   - corpus: sessions that are known to show what is in `seen`.
  ///   - given: sessions to begin with. They are kept whatever they show.
  ///   - memory: how much more memory kept sessions can take, in bytes.
  package init(
    _ grammar: SessionGrammar, random: RandomStream, corpus: [Kept] = [],
    seen: TraitSet = TraitSet(), given: [SessionInputs] = [], memory: Int = usualMemory
  ) {
    self.grammar = grammar
    self.random = random
    self.corpus = corpus
    self.seen = seen
    self.given = given.reversed()
    memoryLeft = memory
  }

  /// How many of the last session's first inputs the next one has, too: 0 if it is another one.
  /// With faults, it is how many of those that were sent.
  package var shared: Int { family.map { $0.left > 0 ? $0.fixed : 0 } ?? 0 }

  /// Returns the next session to run, as it reaches the board.
  package mutating func next() -> SessionInputs {
    let next: Kept
    if let session = given.popLast() {
      // What a fault did to it stays; that it was a fault cannot be known of a part of it.
      var sent = session
      sent.events.removeAll { $0.isFault }
      next = Kept(sent: sent, faultSeed: 0, session: session, isGiven: true)
    } else {
      let (sent, seed) = generate()
      next = Kept(sent: sent, faultSeed: seed, session: disturbed(sent, seed))
    }
    proposal = next
    return next.session
  }

  /// Takes what that session showed. Returns whether any of it is new.
  @discardableResult
  package mutating func take(_ traits: SessionTraits) -> Bool {
    guard var session = proposal else { return false }
    proposal = nil
    let isNew = !traits.values.isSubset(of: seen)
    guard isNew || session.isGiven else { return false }
    seen.formUnion(traits.values)
    session.traits = traits
    if session.size <= memoryLeft {
      memoryLeft -= session.size
      corpus.append(session)
    } else {
      isFull = true
    }
    return isNew
  }

  /// Returns the fewest sessions that show what all of them show, or nearly so: the smallest first,
  /// each only if it shows something that no smaller one does.
  package static func minimised(_ corpus: [Kept]) -> [Kept] {
    var covered = TraitSet()
    return corpus.sorted { $0.session.isSmaller(than: $1.session) }.filter { kept in
      guard !kept.traits.values.isSubset(of: covered) else { return false }
      covered.formUnion(kept.traits.values)
      return true
    }
  }

  /// How long after its end a session continues for what faults have made late.
  private static let lateMax = Interval.seconds(10)

  /// Lets faults strike a session.
  private mutating func disturbed(_ session: SessionInputs, _ seed: UInt64) -> SessionInputs {
    guard !grammar.faults.isEmpty else { return session }
    var line = FaultyLine(FaultPlan(grammar.faults, seed: seed), baud: session.baud)
    var disturbed = session
    disturbed.events = []
    for event in session.events {
      line.take(event)
      while let passed = line.next(by: event.time) { disturbed.events.append(passed) }
    }
    // What arrives much later is left out, as when a session ends.
    let end = line.arrivalEnd(after: session.end, limit: session.end + Self.lateMax)
    while let passed = line.next(by: end) { disturbed.events.append(passed) }
    disturbed.end = max(session.end, disturbed.shown, disturbed.sent + grammar.rest)
    for (index, hasStruck) in line.hasStruck.enumerated() where hasStruck { struck.insert(index) }
    return disturbed
  }

  // MARK: Generating sessions

  /// An input, and how long after the one before it.
  private struct Step {
    var gap: Interval
    var kind: Event.Kind
  }

  /// Returns a session as it is sent, and a seed for its faults.
  private mutating func generate() -> (SessionInputs, UInt64) {
    // One in eight sessions is a fresh one.
    if family.map({ $0.left == 0 }) ?? true { family = oneIn(2) ? nil : nextFamily() }
    guard let family else { return (session(of: fresh()), random.next()) }
    self.family?.left -= 1
    var steps = family.steps
    for _ in 0..<draw(1...4) {
      if oneIn(8) {
        meet(family.parent.traits, &steps, after: family.fixed)
      } else {
        change(&steps, after: family.fixed)
      }
    }
    if !oneIn(3) { probe(&steps) }
    // For counters that overflow after seconds, and what a sketch does without input for a while.
    if oneIn(400), steps.count > family.fixed {
      steps[draw(family.fixed...steps.count - 1)].gap = .milliseconds(
        Int64(draw(10_000...70_000)))
    }
    return (session(of: steps), oneIn(2) ? family.parent.faultSeed : random.next())
  }

  /// Sessions in a row that are made of one. They begin with the same inputs, so that what these do
  /// is run only once.
  private struct Family {
    let parent: Kept
    let steps: [Step]
    /// How many of the first steps stay as they are.
    let fixed: Int
    /// How many more sessions there are.
    var left = 8
  }

  private mutating func nextFamily() -> Family? {
    guard !corpus.isEmpty else { return nil }
    let parent = pick()
    var steps = steps(of: parent.sent)
    // Of a long recording, another part each time.
    if steps.count > Self.eventsMax {
      let first = draw(0...steps.count - Self.eventsMax)
      steps = Array(steps[first..<first + Self.eventsMax])
      steps[0].gap = Shrinker.start - .zero
    }
    return Family(parent: parent, steps: steps, fixed: draw(0...max(0, steps.count - 1)))
  }

  /// Every other time one of the newest, since what they show was changed least; of two, often the
  /// one that takes less time.
  private mutating func pick() -> Kept {
    func one(_ own: inout Explorer) -> Kept {
      let newest = own.oneIn(2) ? min(16, own.corpus.count) : own.corpus.count
      return own.corpus[own.corpus.count - own.draw(1...newest)]
    }
    let (first, second) = (one(&self), one(&self))
    return second.session.end < first.session.end && !oneIn(3) ? second : first
  }

  /// Sends something so that it arrives about when the board did something, since what a program
  /// does then is rarely tested: a deadline that passes, a step, the end of a tone.
  private mutating func meet(
    _ traits: SessionTraits, _ steps: inout [Step], after fixed: Int
  ) {
    guard !traits.times.isEmpty else { return change(&steps, after: fixed) }
    let goal = one(of: traits.times)
    let added = bytes()
    let byteTime = ByteClock.byteTime(baud: grammar.baud)
    // Its first byte, its last one, or any in between.
    let early = Int64(draw(1...added.count)) * byteTime.nanoseconds
    let offset = oneIn(3) ? 0 : random.draw(-1_000_000...1_000_000)
    let time = max(.zero, goal - .nanoseconds(early) + .nanoseconds(offset)).roundedUpToMicrosecond
    var last = Instant.zero
    var index = 0
    while index < steps.count, last + steps[index].gap <= time {
      last += steps[index].gap
      index += 1
    }
    guard index >= fixed else { return change(&steps, after: fixed) }
    let gap = time - last
    if index < steps.count { steps[index].gap = steps[index].gap - gap }
    steps.insert(Step(gap: gap, kind: .receive(added)), at: index)
  }

  private mutating func fresh() -> [Step] {
    // After the start-up, or during it.
    var steps = [
      Step(
        gap: oneIn(6) ? .milliseconds(Int64(draw(0...1_200))) : Shrinker.start - .zero,
        kind: .receive(command()))
    ]
    switch draw(0...7) {
    case 0: steps += repeated()
    case 1:
      // Faster than a sketch thinks that anybody is.
      for _ in 0..<draw(2...6) {
        steps.append(Step(gap: .microseconds(Int64(draw(0...8_000))), kind: .receive(command())))
      }
    case 2: steps += restarted()
    default: for _ in 0..<draw(0...7) { steps.append(step()) }
    }
    probe(&steps)
    return steps
  }

  /// One byte, or the beginning of a command, so many times that it fills a line buffer.
  private mutating func repeated() -> [Step] {
    var unit = oneIn(2) ? [oddByte()] : command()
    if unit.count > 1 { unit.removeLast(draw(1...unit.count - 1)) }
    let count = draw(20...140) / unit.count + 1
    return [Step(gap: gap(), kind: .receive((0..<count).flatMap { _ in unit }))]
  }

  /// A restart while a command arrives.
  private mutating func restarted() -> [Step] {
    let command = command()
    let byteTime = ByteClock.byteTime(baud: grammar.baud)
    let arrival = random.draw(0...byteTime.nanoseconds * Int64(command.count + 1))
    return [
      Step(gap: gap(), kind: .receive(Array(command.prefix(draw(1...command.count))))),
      Step(gap: .nanoseconds(arrival / 1_000 * 1_000), kind: .reset(.zero)),
    ]
  }

  /// Sends a command that a rule names at the end, so that the session tests the rule: after what
  /// ends any command, and after the start-up of a board that was restarted.
  private mutating func probe(_ steps: inout [Step]) {
    guard !grammar.words.isEmpty else { return }
    let word = one(of: grammar.words)
    guard steps.last?.kind != .receive(word) else { return }
    let restart = steps.lastIndex { if case .reset = $0.kind { true } else { false } }
    let isStarting = restart.map { index in
      steps[(index + 1)...].reduce(Interval.zero) { $0 + $1.gap } < Self.startUp
    }
    var pause = isStarting == true ? Self.startUp : gap()
    if case .byte(let byte) = grammar.end, !oneIn(3) {
      steps.append(Step(gap: pause, kind: .receive([byte])))
      pause = gap()
    } else if case .pause(let length) = grammar.end {
      pause = max(pause, length)
    }
    steps.append(Step(gap: pause, kind: .receive(word)))
  }

  private mutating func step() -> Step {
    let gap = gap()
    // Some boards are restarted by their bootloader, which takes a second.
    if oneIn(40) { return Step(gap: gap, kind: .reset(oneIn(2) ? .zero : .seconds(1))) }
    if oneIn(60) { return Step(gap: gap, kind: .baud(one(of: Self.speeds))) }
    return Step(gap: gap, kind: .receive(bytes()))
  }

  private mutating func gap() -> Interval {
    if oneIn(5) { return .microseconds(Int64(draw(0...300_000))) }
    // A chip takes as long to wait as to do something, so the short ones are drawn more often.
    let last = Self.gaps.count - 1
    return Self.gaps[min(draw(0...last), draw(0...last))]
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
    case 2 where !grammar.letters.isEmpty: one(of: grammar.letters)
    default: one(of: Self.oddBytes)
    }
  }

  private mutating func command() -> [UInt8] {
    if !grammar.words.isEmpty, oneIn(3) { return one(of: grammar.words) }
    guard !grammar.commands.isEmpty else { return (0..<draw(1...6)).map { _ in oddByte() } }
    let form = one(of: grammar.commands)
    var values: [Int32] = []
    for field in form.fields { values.append(value(in: field.range)) }
    var bytes = form.bytes(values)
    // The same number with zeros or a sign before it, which some programs read as another one.
    if oneIn(12), let digit = bytes.firstIndex(where: { (0x30...0x39).contains($0) }) {
      bytes.insert(contentsOf: one(of: Self.prefixes).utf8, at: digit)
    }
    return bytes
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
      case 8: high + Int64(draw(1...70_000))
      case 7: 0
      default: random.draw(low...high)
      }
    return Int32(clamping: value)
  }

  // MARK: Changing sessions

  /// Changes something, but not the first inputs.
  private mutating func change(_ steps: inout [Step], after fixed: Int) {
    guard !steps.isEmpty else {
      steps = fresh()
      return
    }
    guard fixed < steps.count else { return steps.append(step()) }
    let index = draw(fixed...steps.count - 1)
    let choice = draw(0...13)
    switch choice {
    case 0, 1: steps.insert(step(), at: draw(fixed...steps.count))
    case 2: steps.remove(at: index)
    case 3: steps[index].gap = index == 0 ? steps[index].gap : gap()
    case 4:
      // A burst of the same.
      let copy = Step(gap: oneIn(2) ? .zero : gap(), kind: steps[index].kind)
      steps.insert(contentsOf: repeatElement(copy, count: draw(1...24)), at: index + 1)
    case 5:
      for index in index..<min(steps.count, index + draw(1...8)) where index > 0 {
        steps[index].gap = .zero
      }
    case 6: steps[index].kind = .receive(bytes())
    case 7, 8:
      guard case .receive(var bytes) = steps[index].kind, !bytes.isEmpty else { return }
      let place = draw(0...bytes.count - 1)
      if choice == 7 { bytes[place] = oddByte() } else { bytes.remove(at: place) }
      if !bytes.isEmpty { steps[index].kind = .receive(bytes) }
    case 9:
      let other = self.steps(of: pick().sent)
      steps.replaceSubrange(index..., with: other.suffix(draw(1...max(1, other.count))))
    case 10: steps.removeSubrange(index..<min(steps.count, index + draw(1...6)))
    case 11:
      // A part of a command, and the rest of it later.
      guard case .receive(let bytes) = steps[index].kind, bytes.count > 1 else { return }
      let place = draw(1...bytes.count - 1)
      steps[index].kind = .receive(Array(bytes[..<place]))
      steps.insert(Step(gap: gap(), kind: .receive(Array(bytes[place...]))), at: index + 1)
    case 12:
      // A little earlier or later.
      let nudge = Interval.microseconds(random.draw(-2_000...2_000))
      steps[index].gap = max(.zero, steps[index].gap + nudge)
    default: steps.swapAt(index, draw(fixed...steps.count - 1))
    }
  }

  private func steps(of session: SessionInputs) -> [Step] {
    var last = Instant.zero
    return session.events.map { event in
      defer { last = event.time }
      return Step(gap: event.time - last, kind: event.kind)
    }
  }

  private mutating func session(of steps: [Step]) -> SessionInputs {
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
    session.end = max(session.shown, session.sent + grammar.rest)
    // What takes long, such as the end of a sweep, can be seen only if nothing more is sent.
    if oneIn(64) { session.end += .seconds(Int64(draw(1...8))) }
    return session
  }

  private mutating func draw(_ range: ClosedRange<Int>) -> Int {
    Int(random.draw(Int64(range.lowerBound)...Int64(range.upperBound)))
  }

  private mutating func one<Choice>(of choices: [Choice]) -> Choice {
    choices[draw(0...choices.count - 1)]
  }

  private mutating func oneIn(_ count: Int) -> Bool { draw(1...count) == 1 }
}

/// What sessions are made of.
package struct SessionGrammar: Sendable {
  package var firmware: Firmware
  package var baud: Int
  /// The sketch's commands; none for bytes without a meaning.
  package var commands: [CommandForm]
  /// Other bytes that can matter, such as the commands that a rule names.
  package var words: [[UInt8]] = []
  /// The faults that strike what is sent, with a seed of its own for each session.
  package var faults: [FaultSpec] = []
  /// After what the sketch expects a command.
  var end: CommandEnd { CommandEnd(of: commands) }
  /// How long rules allow what they require to take.
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
