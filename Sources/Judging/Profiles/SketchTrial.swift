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
  /// Where everything is that the sketch has moved or switched.
  private(set) var positions = TrialPositions()
  /// What the sketch does within the window if nothing is sent.
  private(set) var silence = TrialEffect()

  /// The device is at `now`, and nothing is on its line.
  init(
    _ device: D, at now: Instant, baud: Int, times: Times = Times(),
    positions: TrialPositions = TrialPositions()
  ) {
    self.device = device
    self.now = now
    self.baud = baud
    self.times = times
    self.positions = positions
    silence = effect(of: [])
  }

  /// The same board with other times.
  func with(_ times: Times) -> SketchTrial {
    SketchTrial(device, at: now, baud: baud, times: times, positions: positions)
  }

  /// Returns what the sketch does within the window after these bytes.
  func effect(of bytes: [UInt8]) -> TrialEffect { TrialEffect(outputs(of: bytes)) }

  /// Returns what the sketch does within the window after these bytes, and until the movement is
  /// over that has begun by then.
  private func outputs(of bytes: [UInt8]) -> [Output] {
    var time = times.window
    var ran = run(bytes, for: time)
    while time < times.windowMax,
      let last = ran.outputs.last(where: { !TrialEffect([$0.output]).moves.isEmpty }),
      ran.end - last.time < times.still
    {
      time = min(times.windowMax, time + time)
      ran = run(bytes, for: time)
    }
    return ran.outputs.map { $0.output }
  }

  /// Whether these bytes move or switch something that would not move by itself.
  func moves(_ bytes: [UInt8]) -> Bool { effect(of: bytes).moves != silence.moves }

  /// Returns whether these bytes move something, and where everything is at the end of the window.
  func tried(_ bytes: [UInt8]) -> (moves: Bool, positions: TrialPositions) {
    let outputs = outputs(of: bytes)
    return (TrialEffect(outputs).moves != silence.moves, positions.after(outputs))
  }

  /// Returns the board after these bytes once it has settled, and what the sketch did.
  func after(
    _ bytes: [UInt8], waiting time: Interval = .zero
  ) -> (trial: SketchTrial, outputs: [Output]) {
    let run = run(bytes, for: bytes.isEmpty ? time : max(time, times.settling))
    let outputs = run.outputs.map { $0.output }
    let trial = SketchTrial(
      run.device, at: run.end, baud: baud, times: times, positions: positions.after(outputs))
    return (trial, outputs)
  }

  /// Returns the board after a level or a voltage was applied to a pin.
  func after(_ input: BoardInput) -> SketchTrial {
    var device = device
    device.set(input, at: now)
    return SketchTrial(device, at: now, baud: baud, times: times, positions: positions)
      .after([], waiting: times.window).trial
  }

  /// How long after bytes the sketch did the first thing that it does not do without them, and the
  /// last; nil if there is none. `then`: bytes that follow after a pause.
  func reaction(
    to bytes: [UInt8], then: (pause: Interval, bytes: [UInt8])? = nil, for time: Interval
  ) -> (first: Interval, last: Interval)? {
    let quiet = run([], for: time).outputs
    let run = run(bytes, then: then, for: time)
    for (index, output) in run.outputs.enumerated() {
      if index < quiet.count, quiet[index].output == output.output { continue }
      let last = run.outputs.last?.time ?? output.time
      return (output.time - run.bytesEnd, last - run.bytesEnd)
    }
    return nil
  }

  /// Returns the bytes that the sketch sends within a time; empty if it sends them without these
  /// bytes, too.
  func answer(to bytes: [UInt8], within time: Interval) -> [UInt8] {
    let answer = TrialEffect(run(bytes, for: time).outputs.map { $0.output }).answer
    if bytes.isEmpty { return answer }
    return answer == TrialEffect(run([], for: time).outputs.map { $0.output }).answer ? [] : answer
  }

  /// Returns when, after the end of these bytes, each servo, tone or pin moves.
  func moveTimes(
    of bytes: [UInt8], then: (pause: Interval, bytes: [UInt8]), for time: Interval
  ) -> [Interval] {
    let run = run(bytes, then: then, for: time)
    let moves = run.outputs.filter { !TrialEffect([$0.output]).moves.isEmpty }
    return moves.map { $0.time - run.bytesEnd }
  }

  /// Runs a copy of the board for some time after the end of the bytes.
  private func run(
    _ bytes: [UInt8], then: (pause: Interval, bytes: [UInt8])? = nil, for time: Interval
  ) -> (device: D, bytesEnd: Instant, end: Instant, outputs: [TimedOutput]) {
    var simulation = Simulation(device, at: now)
    let byte = ByteClock.byteTime(baud: baud).nanoseconds
    var outputs: [TimedOutput] = []
    if !bytes.isEmpty { simulation.feed(Event(now, .receive(bytes))) }
    let bytesEnd = now + Interval(nanoseconds: byte * Int64(bytes.count))
    if let then {
      while simulation.step(to: bytesEnd + then.pause) { outputs += simulation.outputs }
      simulation.feed(Event(bytesEnd + then.pause, .receive(then.bytes)))
    }
    while simulation.step(to: bytesEnd + time) { outputs += simulation.outputs }
    return (simulation.device, bytesEnd, bytesEnd + time, outputs)
  }
}

/// Where everything is that a sketch has moved or switched.
struct TrialPositions: Hashable, Sendable {
  enum Channel: Hashable, Sendable {
    /// The pin is nil for the servo whose events name none.
    case servo(BoardPin?)
    case pin(BoardPin)
    case tone
  }

  private(set) var values: [Channel: Double] = [:]

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
    for (channel, value) in values where other.values[channel] != value {
      changes[channel] = value - (other.values[channel] ?? 0)
    }
    return changes
  }
}

/// What a sketch did within a period, without the times.
struct TrialEffect: Hashable, Sendable {
  /// What moved or switched something, in order: servos, tones and levels.
  private(set) var moves: [Output] = []
  /// The bytes that the sketch sent.
  private(set) var answer: [UInt8] = []

  init(_ outputs: [Output] = []) {
    for output in outputs {
      switch output {
      // Degrees depend on what is known of the servo's range; the pulse is what moves it.
      case .servo(_, let microseconds, let pin):
        moves.append(.servo(degrees: 0, microseconds: microseconds, on: pin))
      case .tone, .pin: moves.append(output)
      case .transmit(let byte): answer.append(byte)
      default: break
      }
    }
  }

  /// Only what moved or switched something.
  var withoutAnswer: TrialEffect {
    var effect = self
    effect.answer = []
    return effect
  }

  /// The position of a servo, or the frequency of a tone.
  struct Position: Hashable, Sendable {
    /// The servo's pin; nil for a tone and for the servo whose events name none.
    var pin: BoardPin?
    /// In microseconds or hertz.
    var value: Double

    /// Returns how far it has moved since then; nil if that was the position of something else.
    func change(since earlier: Position?) -> Double? {
      guard let earlier, earlier.pin == pin else { return nil }
      return value - earlier.value
    }
  }

  /// The position of the last servo or, if none moved, the last tone, so that a trend can be seen.
  /// A servo comes first, because a sketch's tone need not depend on where it turns.
  var position: Position? {
    var tone: Position?
    for move in moves.reversed() {
      switch move {
      case .servo(_, let microseconds, let pin):
        return Position(pin: pin, value: Double(microseconds))
      case .tone(let hertz) where hertz > 0 && tone == nil: tone = Position(value: hertz)
      default: continue
      }
    }
    return tone
  }

  /// Returns the effect in words: `the servo on D9, D7 and the answer "ok\n"`. `own` is the pin of
  /// the servo whose events name none.
  func sentence(own: BoardPin) -> String {
    var parts: [String] = []
    func add(_ part: String) { if !parts.contains(part) { parts.append(part) } }
    for move in moves {
      switch move {
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
