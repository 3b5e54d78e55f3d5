import Devices
import Sketches
import Traces

/// Splits the bytes of a session into commands: at line ends if commands have them, and otherwise
/// where the sender paused, and after a byte at which the sketch has done something that it does
/// with and without the bytes that follow.
struct SessionSplitter<D: Device> {
  typealias Key = FormLearner<D>.Key

  /// The longest pause of a session; longer ones are shortened to it.
  private static var waitMax: Interval { .seconds(5) }
  /// How long a first reaction is awaited.
  private static var reactionMax: Interval { .seconds(5) }
  /// The longest pause within a command.
  private static var joinMax: Interval { .milliseconds(60) }
  /// How many pieces are examined for how fast the sketch reacts.
  private static var examinedMax: Int { 6 }
  /// How many pieces without a line end are tried, and how many for whether they are binary.
  private static var triedMax: Int { 3 }
  /// How many commands are examined, how many of those that are alike, and how many are kept.
  private static var commandsMax: Int { 400 }
  private static var alikeMax: Int { 10 }
  private static var keptMax: Int { 20_000 }
  /// After so many commands that are alike, the next is known to be one.
  private static var provenMin: Int { 3 }

  /// The bytes that end a line; empty if commands have no line ends.
  let lineEnd: [UInt8]
  /// Whether commands are text, and not bytes with any value.
  let isText: Bool
  /// The commands that were examined, at most some of those that are alike.
  private(set) var commands: [LearnedCommand<D>] = []
  /// The bytes of all commands.
  private(set) var all: [[UInt8]] = []
  /// Everything that the sketch did.
  private(set) var outputs: [Output] = []
  /// What was sent and is not part of a command, because its line has no end.
  private(set) var rest: [UInt8] = []
  /// The pause after which the sketch takes what has arrived as a command; nil if it waits for
  /// none.
  private(set) var pause: Interval?
  private var trial: SketchTrial<D>
  /// Whether the sketch may still be busy with the last command.
  private var isBusy = false
  /// How long the sender has paused since the last command.
  private var wait = Interval.zero
  private var examined = 0
  /// The slowest reaction to a piece; nil before the first.
  private var slowest: Interval?
  private var alike: [Key: Int] = [:]
  /// Whether an empty line does something; nil before the first.
  private var emptyLine: Bool?

  init(_ trial: SketchTrial<D>, _ pieces: [SessionPiece]) {
    self.trial = trial
    let sent = pieces.flatMap { $0.bytes }
    let end = SessionPiece.lineEnd(of: sent)
    lineEnd = Self.areLines(pieces, end, trial) ? end : []
    isText =
      SessionPiece.areText(pieces) && (!lineEnd.isEmpty || !Self.areBinary(pieces, trial))
  }

  /// Whether commands end with lines. A piece without a line end that the sketch takes before the
  /// next one is a command without.
  private static func areLines(
    _ pieces: [SessionPiece], _ end: [UInt8], _ trial: SketchTrial<D>
  ) -> Bool {
    guard let last = end.last else { return false }
    var tried = 0
    var whole = 0
    for (index, piece) in pieces.enumerated()
    where piece.bytes.last.map({ $0 != last }) ?? false && tried < triedMax {
      tried += 1
      let next = index + 1 < pieces.count ? pieces[index + 1].pause : reactionMax
      let time = min(next, reactionMax)
      if trial.reaction(to: piece.bytes, for: time).map({ $0.first < time }) ?? false {
        whole += 1
      }
    }
    return whole * 2 <= tried
  }

  /// Whether a byte that looks like text is a number: with other values, the same thing moves
  /// further.
  private static func areBinary(_ pieces: [SessionPiece], _ trial: SketchTrial<D>) -> Bool {
    let moving = pieces.filter { !$0.bytes.isEmpty && trial.moves($0.bytes) }.prefix(triedMax)
    return moving.contains { piece in
      let after = trial.after(piece.bytes).trial
      return piece.bytes.indices.prefix(CommandForm.lengthMax).contains { place in
        var last: TrialPositions?
        var signs: [TrialPositions.Channel: Double] = [:]
        for (step, value) in ([10, 50, 110, 160] as [UInt8]).enumerated() {
          var bytes = piece.bytes
          bytes[place] = value
          let tried = after.tried(bytes)
          guard tried.follows else { return false }
          if let last {
            let changes = tried.positions.changes(since: last)
            signs =
              step == 1
              ? changes : signs.filter { (changes[$0.key] ?? 0) * $0.value > 0 }
            if signs.isEmpty { return false }
          }
          last = tried.positions
        }
        return true
      }
    }
  }

  mutating func take(_ piece: SessionPiece) {
    wait = min(Self.waitMax, wait + piece.pause)
    switch piece {
    case .input(let input):
      flush()
      settle()
      trial = trial.after(input)
    case .bytes(let bytes, let pause):
      if examined < Self.examinedMax {
        settle()
        examine(bytes)
      }
      if self.pause != nil {
        add(bytes)
      } else if lineEnd.isEmpty {
        takeWrite(bytes, after: pause)
      } else {
        takeLines(bytes)
      }
    }
  }

  /// Takes what remains at the end of the session.
  mutating func finish() { if lineEnd.isEmpty { flush() } }

  /// Waits until the sketch has done what the last command causes, and as long as the sender.
  private mutating func settle() {
    guard isBusy || wait > .zero else { return }
    let time = isBusy ? max(wait, trial.times.settling) : wait
    let (next, seen) = trial.after([], waiting: time)
    (trial, isBusy, wait) = (next, false, .zero)
    outputs += seen
  }

  /// Finds how fast the sketch reacts, and whether it waits for a pause.
  private mutating func examine(_ bytes: [UInt8]) {
    guard let reaction = reaction(to: bytes) else { return }
    slowest = max(slowest ?? .zero, reaction.last)
    // What goes on for longer is not a reaction to these bytes alone.
    if reaction.last < .seconds(4) {
      var times = trial.times
      times.window = max(times.window, reaction.last + .milliseconds(200))
      times.settling = max(times.settling, reaction.last + .seconds(1))
      if times != trial.times { trial = trial.with(times) }
    }
    // A faster reaction could be that to the bytes themselves.
    guard pause == nil, reaction.first >= .milliseconds(4) else { return }
    let half = Interval(nanoseconds: reaction.first.nanoseconds / 2)
    let extra: UInt8 = isText ? UInt8(ascii: " ") : 0
    // Another byte makes a sketch that waits for a pause wait again, or changes what it takes.
    let other = trial.reaction(
      to: bytes, then: (half, [extra]), for: reaction.first + half + trial.times.window)
    let again = reaction.first + Interval(nanoseconds: half.nanoseconds / 2)
    guard other.map({ $0.first >= again }) ?? true else { return }
    let milliseconds = (reaction.first.nanoseconds + 500_000) / 1_000_000
    let isUsual = (999...1_025).contains(milliseconds)
    pause = isUsual ? CommandForm.usualPause : .milliseconds(max(1, milliseconds))
  }

  private mutating func reaction(to bytes: [UInt8]) -> (first: Interval, last: Interval)? {
    examined += 1
    // The first ones, and slow ones, are watched for longer.
    let time = examined > 2 ? Interval.milliseconds(1_500) : Self.reactionMax
    let found = trial.reaction(to: bytes, for: time)
    if time < Self.reactionMax, found.map({ $0.last > .milliseconds(1_200) }) ?? true {
      return trial.reaction(to: bytes, for: Self.reactionMax)
    }
    return found
  }

  /// How long tries of the session's commands must take.
  var times: SketchTrial<D>.Times {
    var times = trial.times
    if let slowest, slowest < .milliseconds(100) {
      times.window = .milliseconds(150) + slowest
    }
    return times
  }

  private mutating func takeLines(_ bytes: [UInt8]) {
    guard let last = lineEnd.last else { return }
    for byte in bytes {
      rest.append(byte)
      guard byte == last else { continue }
      if rest.contains(where: { $0 != 0x0A && $0 != 0x0D }) || emptyLineActs(rest) { add(rest) }
      rest = []
    }
  }

  private mutating func emptyLineActs(_ line: [UInt8]) -> Bool {
    if let emptyLine { return emptyLine }
    settle()
    let acts = trial.effect(of: line) != trial.silence
    emptyLine = acts
    return acts
  }

  /// Takes bytes without a pause between them.
  private mutating func takeWrite(_ bytes: [UInt8], after pause: Interval) {
    if isText, bytes.allSatisfy({ $0 == 0x0A || $0 == 0x0D }), !emptyLineActs(bytes) { return }
    guard !rest.isEmpty else { return split(bytes) }
    let whole = rest + bytes
    if pause <= Self.joinMax, alike[key(bytes), default: 0] < Self.provenMin {
      settle()
      let effect = trial.effect(of: whole)
      if effect != trial.silence, effect != trial.effect(of: bytes) {
        rest = []
        return split(whole)
      }
    }
    flush()
    split(bytes)
  }

  private mutating func flush() {
    if !rest.isEmpty, lineEnd.isEmpty {
      add(rest)
      rest = []
    }
  }

  private func key(_ bytes: [UInt8]) -> Key { Key(bytes, isText: isText) }

  private func isProven(_ bytes: [UInt8]) -> Bool {
    alike[key(bytes), default: 0] >= Self.provenMin
  }

  /// Divides bytes into commands. What has no effect at their end is kept, as the next bytes can
  /// belong to it.
  private mutating func split(_ bytes: [UInt8]) {
    var open = bytes
    while !open.isEmpty {
      if isProven(open) { return add(open) }
      settle()
      guard let end = end(in: open) else { break }
      add(Array(open[..<end]))
      open.removeFirst(end)
    }
    guard !open.isEmpty else { return }
    let effect = trial.effect(of: open)
    guard effect != trial.silence else {
      rest = open
      return
    }
    // Bytes before it that change nothing are not a part of it.
    let start =
      open.indices.dropFirst().last { start in
        !CommandShape.digits.contains(open[start])
          && trial.effect(of: Array(open[start...])) == effect
      } ?? 0
    if start > 0 { add(Array(open[..<start])) }
    add(Array(open[start...]))
  }

  /// Returns where the first command ends if another follows it; nil if there is only one.
  private func end(in bytes: [UInt8]) -> Int? {
    for end in bytes.indices.dropFirst() where !isText || Self.canEnd(bytes, at: end) {
      let first = Array(bytes[..<end])
      if isProven(first) { return end }
      let effect = trial.effect(of: first)
      // An echo of the bytes does not end a command.
      let answers =
        effect.answer != trial.silence.answer && effect.answer.contains(0x0A)
        && effect.answer != trial.silence.answer + first
      guard effect.moves != trial.silence.moves || answers else { continue }
      // The sketch took it as a command if the others have the same effect after a pause.
      let rest = Array(bytes[end...])
      let middle = trial.after(first).trial
      let (apart, whole) = (middle.after(rest), trial.after(bytes))
      if apart.trial.positions == whole.trial.positions,
        effect.answer + TrialEffect(apart.outputs).answer == TrialEffect(whole.outputs).answer
      {
        return end
      }
    }
    return nil
  }

  /// Whether a command of text can end before this byte. A sketch can do something at a letter
  /// whose number follows.
  private static func canEnd(_ bytes: [UInt8], at end: Int) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & ~0x20) }
    let (last, next) = (bytes[end - 1], bytes[end])
    if isLetter(next) { return true }
    let isNumber = CommandShape.digits.contains(next) || next == UInt8(ascii: "-")
    if isLetter(last) { return isNumber && CommandShape.digits.contains(bytes[0]) }
    return isNumber && last == bytes.last && !CommandShape.digits.contains(last)
  }

  private mutating func add(_ bytes: [UInt8]) {
    if all.count < Self.keptMax { all.append(bytes) }
    let key = key(bytes)
    alike[key, default: 0] += 1
    guard alike[key, default: 0] <= Self.alikeMax, commands.count < Self.commandsMax else {
      let (next, seen) = trial.after(bytes, waiting: wait, settles: false)
      (trial, isBusy, wait) = (next, true, .zero)
      outputs += seen
      return
    }
    settle()
    commands.append(LearnedCommand(bytes: bytes, trial: trial, effect: trial.effect(of: bytes)))
    let (next, seen) = trial.after(bytes)
    trial = next
    outputs += seen
  }
}

/// A piece of a session's input to a board: bytes without a pause between them, or a level or
/// voltage.
enum SessionPiece: Hashable, Sendable {
  case bytes([UInt8], pauseBefore: Interval)
  case input(BoardInput)

  /// A longer pause divides bytes.
  private static let pauseMax = Interval.milliseconds(2)

  var bytes: [UInt8] { if case .bytes(let bytes, _) = self { bytes } else { [] } }
  var pause: Interval { if case .bytes(_, let pause) = self { pause } else { .zero } }

  /// Returns the session's inputs in pieces. `baud` is the speed of its sender.
  static func pieces(_ events: [Event], baud: Int) -> [SessionPiece] {
    let byte = ByteClock.byteTime(baud: baud).nanoseconds
    let pauseMax = max(pauseMax, Interval(nanoseconds: byte * 2))
    var pieces: [SessionPiece] = []
    var lineEnd = Instant.zero
    for event in events {
      switch event.kind {
      case .receive(let bytes):
        let start = max(event.time, lineEnd)
        let pause = start - lineEnd
        lineEnd = start + Interval(nanoseconds: byte * Int64(bytes.count))
        if pause <= pauseMax, case .bytes(let earlier, let before)? = pieces.last {
          pieces[pieces.count - 1] = .bytes(earlier + bytes, pauseBefore: before)
        } else {
          pieces.append(.bytes(bytes, pauseBefore: pause))
        }
      case .input(let input): pieces.append(.input(input))
      default: break
      }
    }
    return pieces
  }

  /// Whether a session is text. Other bytes can begin or end its pieces.
  static func areText(_ pieces: [SessionPiece]) -> Bool {
    func isMark(_ byte: UInt8) -> Bool { byte < 0x20 && !CommandShape.isText([byte]) }
    let marks = Set(pieces.flatMap { [$0.bytes.first, $0.bytes.last] }.compactMap { $0 })
      .filter(isMark)
    let others = Set(pieces.flatMap { $0.bytes }).subtracting(marks)
    return marks.count <= 2 && CommandShape.isText(Array(others))
      && others.contains { $0 > 0x20 }
  }

  /// Returns the bytes that end the lines of a session; empty if it has binary bytes or no lines.
  static func lineEnd(of bytes: [UInt8]) -> [UInt8] {
    let (feed, carriage): (UInt8, UInt8) = (0x0A, 0x0D)
    guard CommandShape.isText(bytes),
      let first = bytes.firstIndex(where: { $0 == feed || $0 == carriage })
    else { return [] }
    if bytes[first] == feed { return [feed] }
    let next = first + 1
    return next < bytes.count && bytes[next] == feed ? [carriage, feed] : [carriage]
  }
}
