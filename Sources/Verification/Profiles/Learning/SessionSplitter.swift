import Devices
import Traces
import Turret

/// Splits the bytes of a session into commands: at line ends if it has them, otherwise after the
/// byte at which the sketch does something, or at a pause.
struct SessionSplitter<D: Device> {
  /// The longest pause of a session; longer ones are shortened to it.
  private static var waitMax: Interval { .seconds(5) }
  /// The maximum number of commands that are examined.
  static var commandsMax: Int { 400 }

  /// The bytes that end a line; empty if commands have no line ends.
  let lineEnd: [UInt8]
  private(set) var commands: [LearnedCommand<D>] = []
  /// Everything that the sketch did.
  private(set) var outputs: [Output] = []
  /// What was sent and is not part of a command, because its line has no end.
  private(set) var rest: [UInt8] = []
  private var trial: SketchTrial<D>

  init(_ trial: SketchTrial<D>, lineEnd: [UInt8]) {
    self.trial = trial
    self.lineEnd = lineEnd
  }

  /// Whether no more commands are examined.
  var isFull: Bool { commands.count >= Self.commandsMax }

  /// Takes the next piece of the session.
  mutating func take(_ piece: SessionPiece) {
    switch piece {
    case .input(let input): trial = trial.after(input)
    case .bytes(let bytes, let pause):
      let (waited, seen) = trial.after([], waiting: min(pause, Self.waitMax))
      trial = waited
      outputs += seen
      if lineEnd.isEmpty { takeBytes(bytes) } else { takeLines(bytes) }
    }
  }

  private mutating func takeLines(_ bytes: [UInt8]) {
    for byte in bytes {
      rest.append(byte)
      guard rest.count >= lineEnd.count, Array(rest.suffix(lineEnd.count)) == lineEnd else {
        continue
      }
      if rest.count > lineEnd.count { add(rest) }
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
    let effect = trial.effect(of: bytes)
    commands.append(LearnedCommand(bytes: bytes, trial: trial, effect: effect))
    let (next, seen) = trial.after(bytes)
    trial = next
    outputs += seen
  }
}
