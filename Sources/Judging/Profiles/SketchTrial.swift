import Devices
import Sketches
import Traces

/// A waiting board on which bytes can be tried. Each try runs a copy of it.
struct SketchTrial<D: Device>: Sendable {
  /// How long a try and the wait after it take.
  struct Times: Hashable, Sendable {
    /// How long a sketch can take to react.
    var window = Interval.milliseconds(400)
    /// A movement that has had no step for this long is over.
    var still = Interval.milliseconds(150)
    /// How long a movement is followed.
    var windowMax = Interval.seconds(5)
    /// After how long a sketch that has reacted takes bytes again.
    var settling = Interval.milliseconds(2_500)
  }

  private var device: D
  private(set) var now: Instant
  /// The sender's speed, in bits a second.
  private let baud: Int
  let times: Times
  /// What the sketch sends by itself.
  private let unprompted: UnpromptedText
  /// Where everything is that the sketch has moved or switched.
  private(set) var positions: TrialPositions
  /// What the sketch does within the window if nothing is sent.
  private(set) var silence = TrialEffect()

  /// The device is at `now`, and nothing is on its line.
  init(
    _ device: D, at now: Instant, baud: Int, times: Times = Times(),
    unprompted: UnpromptedText = UnpromptedText(), positions: TrialPositions = TrialPositions()
  ) {
    self.device = device
    self.now = now
    self.baud = baud
    self.times = times
    self.unprompted = unprompted
    self.positions = positions
    silence = effect(of: [])
  }

  /// The same board with other times.
  func with(_ times: Times) -> SketchTrial {
    SketchTrial(
      device, at: now, baud: baud, times: times, unprompted: unprompted, positions: positions)
  }

  /// How long bytes take on the line.
  func duration(of count: Int) -> Interval {
    Interval(nanoseconds: ByteClock.byteTime(baud: baud).nanoseconds * Int64(count))
  }

  /// Returns what the sketch does within the window after these bytes.
  func effect(of bytes: [UInt8]) -> TrialEffect { TrialEffect(outputs(of: bytes)) }

  /// Returns what the sketch does within the window after these bytes, and until the movement is
  /// over that has begun by then.
  private func outputs(of bytes: [UInt8]) -> [Output] {
    var time = times.window
    var run = run(bytes, for: time)
    while time < times.windowMax,
      let last = run.outputs.last(where: { !TrialEffect([$0.output]).moves.isEmpty }),
      run.end - last.time < times.still
    {
      time = min(times.windowMax, time + time)
      run.goOn(to: run.bytesEnd + time)
    }
    return heard(run)
  }

  /// Whether these bytes move or switch something that would not move by itself.
  func moves(_ bytes: [UInt8]) -> Bool { effect(of: bytes).moves != silence.moves }

  /// Returns whether these bytes move something, and where everything is at the end of the window.
  func tried(_ bytes: [UInt8]) -> RangeSearch.Response {
    let outputs = outputs(of: bytes)
    return RangeSearch.Response(
      follows: TrialEffect(outputs).moves != silence.moves, positions: positions.after(outputs))
  }

  /// Returns the board after these bytes, and what the sketch did. Unless `settles` is false, the
  /// sketch has done by then what they cause; otherwise its silence is not known.
  func after(
    _ bytes: [UInt8], waiting time: Interval = .zero, settles: Bool = true
  ) -> (trial: SketchTrial, outputs: [Output]) {
    let run = run(bytes, for: bytes.isEmpty || !settles ? time : max(time, times.settling))
    let outputs = heard(run)
    var trial = self
    (trial.device, trial.now) = (run.simulation.device, run.end)
    trial.positions = positions.after(outputs)
    if settles { trial.silence = trial.effect(of: []) }
    return (trial, outputs)
  }

  /// Returns the board after a level or a voltage was applied to a pin.
  func after(_ input: BoardInput) -> SketchTrial {
    var trial = self
    trial.device.set(input, at: now)
    return trial.after([], waiting: times.window).trial
  }

  /// How long after bytes the sketch did the first thing that it does not do without them, and the
  /// last; nil if there is none. `then`: bytes that follow after a pause.
  func reaction(
    to bytes: [UInt8], then: (pause: Interval, bytes: [UInt8])? = nil, for time: Interval
  ) -> (first: Interval, last: Interval)? {
    let run = run(bytes, then: then, for: time)
    return Self.first(of: unprompted.removed(from: run.outputs), otherThan: timed([], for: time))
      .map { ($0.first - run.bytesEnd, $0.last - run.bytesEnd) }
  }

  /// Returns when the first output is that others do not have, and the last output.
  private static func first(
    of outputs: [TimedOutput], otherThan others: [TimedOutput]
  ) -> (first: Instant, last: Instant)? {
    for (index, output) in outputs.enumerated()
    where index >= others.count || others[index].output != output.output {
      return (output.time, outputs.last?.time ?? output.time)
    }
    return nil
  }

  /// How long the sketch does not take `other` because it is busy with `bytes`; nil if it moves
  /// nothing for `other` within `time`.
  func delay(of other: [UInt8], by bytes: [UInt8], for time: Interval) -> Interval? {
    let pause = Interval.milliseconds(1)
    func moves(_ outputs: [TimedOutput]) -> [TimedOutput] {
      outputs.filter { !TrialEffect([$0.output]).moves.isEmpty }
    }
    let both = run(bytes, then: (pause, other), for: time)
    let alone = moves(timed(bytes, for: time))
    guard let latency = reaction(to: other, for: time)?.first,
      let first = Self.first(of: moves(both.outputs), otherThan: alone)?.first
    else { return nil }
    return first - both.bytesEnd - pause - duration(of: other.count) - latency
  }

  /// Returns the bytes that the sketch sends within a time; empty if it sends them without these
  /// bytes, too.
  func answer(to bytes: [UInt8], within time: Interval) -> [UInt8] {
    func answer(_ bytes: [UInt8]) -> [UInt8] { TrialEffect(heard(run(bytes, for: time))).answer }
    let found = answer(bytes)
    return found.isEmpty || found == answer([]) ? [] : found
  }

  private func timed(_ bytes: [UInt8], for time: Interval) -> [TimedOutput] {
    unprompted.removed(from: run(bytes, for: time).outputs)
  }

  private func heard(_ run: SketchRun<D>) -> [Output] {
    unprompted.removed(from: run.outputs).map { $0.output }
  }

  /// Runs a copy of the board for some time after the end of the bytes.
  private func run(
    _ bytes: [UInt8], then: (pause: Interval, bytes: [UInt8])? = nil, for time: Interval
  ) -> SketchRun<D> {
    var run = SketchRun(
      simulation: Simulation(device, at: now), bytesEnd: now + duration(of: bytes.count))
    if !bytes.isEmpty { run.simulation.feed(Event(now, .receive(bytes))) }
    if let then {
      run.goOn(to: run.bytesEnd + then.pause)
      run.simulation.feed(Event(run.bytesEnd + then.pause, .receive(then.bytes)))
    }
    run.goOn(to: run.bytesEnd + time)
    return run
  }
}

/// A copy of a board that takes bytes.
private struct SketchRun<D: Device> {
  var simulation: Simulation<D>
  /// When the last of the bytes has arrived.
  let bytesEnd: Instant
  var outputs: [TimedOutput] = []

  var end: Instant { simulation.now }

  mutating func goOn(to end: Instant) {
    while simulation.step(to: end) { outputs += simulation.outputs }
  }
}

/// What a sketch sends without a command, by the lines that it sends so. That is no answer.
struct UnpromptedText: Sendable {
  private var shapes: Set<[CommandShape.Part]> = []
  /// Whether it sends bytes that are no lines.
  private var hasOther = false

  init() {}

  /// `outputs`: those of a time in which nothing was sent to the sketch.
  init(_ outputs: [Output]) {
    let sent = TrialEffect(outputs).answer
    let lines = sent.split(separator: 0x0A, omittingEmptySubsequences: false)
    for line in lines.dropLast() { shapes.insert(Self.shape(line)) }
    hasOther = lines.count == 1 && !sent.isEmpty
  }

  private static func shape(_ line: some Sequence<UInt8>) -> [CommandShape.Part] {
    CommandShape(text: line.filter { $0 != 0x0D && $0 != 0x0A }).parts
  }

  /// Returns the outputs without the lines that are like those. The first of them can have begun
  /// before, and the last can go on after.
  func removed(from outputs: [TimedOutput]) -> [TimedOutput] {
    if shapes.isEmpty, !hasOther { return outputs }
    var isOwn = [Bool](repeating: false, count: outputs.count)
    var open: [(index: Int, byte: UInt8)] = []
    var isFirst = true
    for (index, output) in outputs.enumerated() {
      guard case .transmit(let byte) = output.output else { continue }
      open.append((index, byte))
      guard byte == 0x0A, !hasOther else { continue }
      let line = Self.shape(open.map { $0.byte })
      if shapes.contains(line) || isFirst && shapes.contains(where: { $0.ends(with: line) }) {
        for part in open { isOwn[part.index] = true }
      }
      open = []
      isFirst = false
    }
    for part in open { isOwn[part.index] = true }
    return zip(outputs, isOwn).filter { !$0.1 }.map { $0.0 }
  }
}

extension [CommandShape.Part] {
  fileprivate func ends(with other: Self) -> Bool { suffix(other.count).elementsEqual(other) }
}

/// Where everything is that a sketch has moved or switched.
struct TrialPositions: Equatable, Sendable {
  enum Channel: Hashable, Sendable {
    /// The pin is nil for the servo whose events name none.
    case servo(BoardPin?)
    case pin(BoardPin)
    case tone
  }

  /// Pulses that differ by so many microseconds are the same position: what a program's pins do is
  /// measured, and depends on its interrupts.
  static let tolerance = 5.0

  private(set) var values: [Channel: Double] = [:]

  static func == (one: Self, other: Self) -> Bool {
    one.values.count == other.values.count
      && one.values.allSatisfy { channel, value in
        other.values[channel].map { isSame(channel, value, $0) } ?? false
      }
  }

  private static func isSame(_ channel: Channel, _ one: Double, _ other: Double) -> Bool {
    if case .servo = channel { return abs(one - other) <= tolerance }
    return one == other
  }

  func after(_ outputs: [Output]) -> TrialPositions {
    var next = self
    for output in outputs {
      switch output {
      case .servo(_, let microseconds, let pin): next.values[.servo(pin)] = Double(microseconds)
      case .pin(let pin, let isHigh): next.values[.pin(pin)] = isHigh ? 1 : 0
      case .tone(let hertz): next.values[.tone] = hertz
      default: break
      }
    }
    return next
  }

  /// Returns what differs, with the distance to these positions from the other ones.
  func changes(since other: TrialPositions) -> [Channel: Double] {
    var changes: [Channel: Double] = [:]
    for (channel, value) in values {
      if let before = other.values[channel], Self.isSame(channel, value, before) { continue }
      changes[channel] = value - (other.values[channel] ?? 0)
    }
    return changes
  }
}

/// What a sketch did within a period, without the times.
struct TrialEffect: Equatable, Sendable {
  /// An output that moves or switches something: a servo, a tone or a level.
  struct Move: Equatable, Sendable {
    let output: Output

    /// Degrees depend on what is known of the servo's range; the pulse is what moves it.
    static func == (one: Self, other: Self) -> Bool {
      guard case .servo(_, let width, let pin) = one.output,
        case .servo(_, let otherWidth, let otherPin) = other.output
      else { return one.output == other.output }
      return pin == otherPin
        && abs(Double(width) - Double(otherWidth)) <= TrialPositions.tolerance
    }
  }

  /// What moved or switched something, in order.
  private(set) var moves: [Move] = []
  /// The bytes that the sketch sent.
  private(set) var answer: [UInt8] = []

  init(_ outputs: [Output] = []) {
    for output in outputs {
      switch output {
      case .servo, .tone, .pin: moves.append(Move(output: output))
      case .transmit(let byte): answer.append(byte)
      default: break
      }
    }
  }

  /// Returns the effect in words: `the servo on D9, D7 and the answer "ok\n"`. `own` is the pin of
  /// the servo whose events name none.
  func sentence(own: BoardPin) -> String {
    var parts: [String] = []
    func add(_ part: String) { if !parts.contains(part) { parts.append(part) } }
    for move in moves {
      switch move.output {
      case .servo(_, _, let pin): add("the servo on \((pin ?? own).name)")
      case .tone: add("a tone")
      case .pin(let pin, _): add(pin.name)
      default: break
      }
    }
    if !answer.isEmpty {
      let shown = CommandForm.text(of: answer.prefix(32))
      add("the answer \"\(shown)\"\(answer.count > 32 ? " and more" : "")")
    }
    guard let last = parts.popLast() else { return "nothing observable" }
    return parts.isEmpty ? last : parts.joined(separator: ", ") + " and " + last
  }
}
