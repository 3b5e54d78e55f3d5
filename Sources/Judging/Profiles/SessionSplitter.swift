import Devices
import Sketches
import Traces

/// Splits the bytes of a session into commands: at line ends if it has them, at pauses if the
/// sketch waits for them, and otherwise after the byte at which the sketch does something.
struct SessionSplitter<D: Device> {
  /// The longest pause of a session; longer ones are shortened to it.
  private static var waitMax: Interval { .seconds(5) }
  /// How long a first reaction is awaited.
  private static var reactionMax: Interval { .seconds(5) }
  /// How many pieces are examined for how fast the sketch reacts.
  private static var examinedMax: Int { 6 }
  /// The maximum number of commands that are examined, and of those that are alike.
  static var commandsMax: Int { 400 }
  private static var alikeMax: Int { 10 }

  /// The bytes that end a line; empty if commands have no line ends.
  let lineEnd: [UInt8]
  private(set) var commands: [LearnedCommand<D>] = []
  /// The number of commands, including those that are like enough others to be skipped.
  private(set) var commandCount = 0
  /// Everything that the sketch did.
  private(set) var outputs: [Output] = []
  /// What was sent and is not part of a command, because its line has no end.
  private(set) var rest: [UInt8] = []
  /// The pause after which the sketch takes what has arrived as a command; nil if it waits for
  /// none.
  private(set) var pause: Interval?
  private var trial: SketchTrial<D>
  private var examined = 0
  private var alike: [FormLearner<D>.Key: Int] = [:]

  init(_ trial: SketchTrial<D>, lineEnd: [UInt8]) {
    self.trial = trial
    self.lineEnd = lineEnd
  }

  /// Whether no more commands are examined.
  var isFull: Bool { commands.count >= Self.commandsMax }

  mutating func take(_ piece: SessionPiece) {
    switch piece {
    case .input(let input): trial = trial.after(input)
    case .bytes(let bytes, let pause):
      let (waited, seen) = trial.after([], waiting: min(pause, Self.waitMax))
      trial = waited
      outputs += seen
      if examined < Self.examinedMax { examine(bytes) }
      if self.pause != nil {
        add(bytes)
      } else if lineEnd.isEmpty {
        takeBytes(bytes)
      } else {
        takeLines(bytes)
      }
    }
  }

  /// Finds how fast the sketch reacts, and whether it waits for a pause.
  private mutating func examine(_ bytes: [UInt8]) {
    guard let reaction = trial.reaction(to: bytes, for: Self.reactionMax) else { return }
    examined += 1
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
    let extra: UInt8 = CommandShape.isText(bytes) ? UInt8(ascii: " ") : 0
    // Another byte makes a sketch that waits for a pause wait again, or changes what it takes.
    let other = trial.reaction(to: bytes, then: (half, [extra]), for: Self.reactionMax)
    guard other.map({ $0.first >= reaction.first + half - .milliseconds(3) }) ?? true else {
      return
    }
    let milliseconds = reaction.first.nanoseconds / 1_000_000
    let isUsual = (1_000...1_025).contains(milliseconds)
    pause = isUsual ? CommandForm.usualPause : .milliseconds(max(1, milliseconds))
  }

  private mutating func takeLines(_ bytes: [UInt8]) {
    guard let last = lineEnd.last else { return }
    for byte in bytes {
      rest.append(byte)
      guard byte == last else { continue }
      if rest.contains(where: { $0 != 0x0A && $0 != 0x0D }) { add(rest) }
      rest = []
    }
  }

  private mutating func takeBytes(_ bytes: [UInt8]) {
    let isText = CommandShape.isText(bytes)
    var open: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      open.append(byte)
      // Digits and the end of a number belong to the letter before them, even if the sketch already
      // beeps at the letter.
      if isText, index + 1 < bytes.count, !Self.isLetter(bytes[index + 1]) { continue }
      let effect = trial.effect(of: open)
      // An echo of the bytes does not end a command.
      let isEcho = effect.answer == trial.silence.answer + open
      guard effect.moves != trial.silence.moves || effect.answer != trial.silence.answer && !isEcho
      else { continue }
      let start = self.start(of: open, effect)
      if start > 0 { add(Array(open[..<start])) }
      add(Array(open[start...]))
      open = []
      if isFull { return }
    }
    if !open.isEmpty { add(open) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & ~0x20)
  }

  /// Returns the start of the command that has this effect. The bytes before it change nothing.
  private func start(of bytes: [UInt8], _ effect: TrialEffect) -> Int {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    for start in bytes.indices.dropFirst().reversed() where !digits.contains(bytes[start]) {
      if trial.effect(of: Array(bytes[start...])) == effect { return start }
    }
    return 0
  }

  private mutating func add(_ bytes: [UInt8]) {
    guard !isFull else { return }
    commandCount += 1
    let key = FormLearner<D>.Key(bytes)
    alike[key, default: 0] += 1
    if alike[key, default: 0] > Self.alikeMax { return }
    let effect = trial.effect(of: bytes)
    commands.append(LearnedCommand(bytes: bytes, trial: trial, effect: effect))
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
  private static let pauseMax = Interval.milliseconds(50)

  /// Returns the session's inputs in pieces. `baud` is the speed of its sender.
  static func pieces(_ events: [Event], baud: Int) -> [SessionPiece] {
    let byte = ByteClock.byteTime(baud: baud).nanoseconds
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

  /// Returns the bytes that end the lines of a session; empty if it has binary bytes or no lines.
  static func lineEnd(of bytes: [UInt8]) -> [UInt8] {
    let (feed, carriage): (UInt8, UInt8) = (0x0A, 0x0D)
    let isText = bytes.allSatisfy {
      (0x20...0x7E).contains($0) || $0 == feed || $0 == carriage || $0 == 0x09
    }
    guard isText, let first = bytes.firstIndex(where: { $0 == feed || $0 == carriage }) else {
      return []
    }
    if bytes[first] == feed { return [feed] }
    let next = first + 1
    return next < bytes.count && bytes[next] == feed ? [carriage, feed] : [carriage]
  }
}
