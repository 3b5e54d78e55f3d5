import Guarded

/// The main loop around `GuardedSketch`, as the board's C++ layer runs it. It takes a byte if one
/// waits, does what is due, and carries out what the sketch decides.
///
///     starting ──first write──▶ polling ──byte taken, or something due──▶ acting ──▶ polling
///                                  └──neither, and a line to send─▶ speaking ──a byte──▶ polling
///
/// The transmitter empties its ring independently.
package struct GuardedLoop: Sketch {
  private enum State: Hashable, Codable {
    case starting
    case polling
    /// Acting on a byte, or on something that was due.
    case acting(Action, wasDue: Bool)
    /// Formatting a byte of a line.
    case speaking
  }

  package let timing: Timing
  private let start: Instant
  private var sketch = GuardedSketch()
  private var state = State.starting
  /// When the processor entered the state.
  private var clock: Instant
  private var speech = Speech()
  private var transmitter: Transmitter
  /// The pulse in the timer's register, in microseconds; 0 before the first write.
  private var stored: UInt16 = 0
  /// The last pulse reported as an event.
  private var reported: UInt16 = 0
  private var hertz: UInt16 = 0

  /// The figures that `sentrybench calibrate` measures on `firmware/guarded/guarded.hex`, rounded
  /// to tenths of a microsecond.
  package static let measuredTiming = {
    var timing = Timing()
    timing.firstWrite = .nanoseconds(178_500)
    // The sketch is ready at once.
    timing.startUp = .nanoseconds(178_500)
    // As in the measured sketches: the moment a byte is taken cannot be observed, only its effect.
    timing.byteRead = .nanoseconds(3_200)
    timing.angleWrite = .nanoseconds(70_500)
    timing.step = .microseconds(15_000)
    timing.stepWrite = .nanoseconds(56_400)
    timing.toneSetUp = .nanoseconds(62_100)
    timing.toneLength = .milliseconds(160)
    timing.firstPulse = .nanoseconds(20_161_500)
    // Set by Timer 1, exactly.
    timing.pulsePeriod = .microseconds(20_000)
    return timing
  }()

  package static let description = SketchDescription(
    letters: [
      UInt8(ascii: "L"): .scan, UInt8(ascii: "T"): .tone(800), UInt8(ascii: "O"): .tone(750),
      UInt8(ascii: "C"): .tone(700), UInt8(ascii: "?"): .status, UInt8(ascii: "V"): .telemetry,
    ],
    numberCheck: .refuses, scan: Sweep.lowest...Sweep.highest, purgesAtUnknown: false,
    announcesAim: true, polls: true, timing: measuredTiming)

  package init(timing: Timing = measuredTiming, baud: Int, startingAt start: Instant) {
    self.timing = timing
    self.start = start
    clock = start
    transmitter = Transmitter(baud: baud, startingAt: start)
  }

  package init(timing: Timing, baud: Int, runningAt instant: Instant) {
    self.init(timing: timing, baud: baud, startingAt: instant)
    state = .polling
    stored = ServoPulse.microseconds(of: sketch.degrees)
  }

  package var commandedPulse: UInt16? { stored == 0 ? nil : stored }
  package var pulseTrain: PulseTrain {
    PulseTrain(first: start + timing.firstPulse, period: timing.pulsePeriod)
  }

  package var activity: Activity {
    switch state {
    case .starting: return .startingUp
    case .acting(let action, _):
      if let degrees = action.degrees { return .aiming(UInt16(degrees)) }
    case .polling, .speaking: break
    }
    if let number = sketch.numberSoFar { return .readingNumber(number) }
    if let sweep = sketch.sweepState {
      return .scanning(next: sweep.next, rising: sweep.isRising)
    }
    return .idle
  }

  package mutating func resume(with ring: RingBuffer) -> Bool {
    start <= clock && clock != .distantFuture && speech.canResume(in: transmitter.room)
      && (state != .speaking || !speech.isEmpty)
  }

  package func nextDeadline(_ ring: RingBuffer) -> Instant? {
    let step = stepDeadline(ring)
    guard let byte = transmitter.nextDeadline else { return step }
    return step.map { min($0, byte) } ?? byte
  }

  package mutating func wake(at instant: Instant) {
    if case .polling = state { clock = max(clock, instant) }
  }

  package mutating func lostByte() { sketch.lostByte() }

  package func halt(at instant: Instant, into recorder: inout Recorder) {
    if sketch.numberSoFar != nil { recorder.abandonedNumber() }
    if hertz != 0 { recorder.put(.tone(hertz: 0), at: instant) }
  }

  package mutating func advance(
    to end: Instant, reading ring: inout RingBuffer, into recorder: inout Recorder
  ) {
    while true {
      let step = stepDeadline(ring)
      if let byte = transmitter.nextDeadline, byte <= end, step.map({ byte <= $0 }) ?? true {
        recorder.put(.transmit(transmitter.startByte()), at: byte)
        continue
      }
      guard let step, step <= end else { return }
      leaveState(at: step, &ring, &recorder)
    }
  }

  /// Returns when the present state ends; nil if it waits for a byte that has not arrived.
  private func stepDeadline(_ ring: RingBuffer) -> Instant? {
    switch state {
    case .starting: return clock + timing.firstWrite
    case .acting(let action, let wasDue): return clock + cost(of: action, wasDue: wasDue)
    case .speaking: return clock + speech.cost
    case .polling:
      if ring.isEmpty && !speech.isEmpty { return clock }
      guard let tick = tickDeadline else { return ring.isEmpty ? nil : clock + timing.byteRead }
      return ring.isEmpty ? tick : min(tick, clock + timing.byteRead)
    }
  }

  private mutating func leaveState(
    at instant: Instant, _ ring: inout RingBuffer, _ recorder: inout Recorder
  ) {
    switch state {
    case .starting:
      clock = instant
      store(sketch.degrees, &recorder)
      state = .polling
    case .acting(let action, _):
      clock = instant
      carryOut(action, &recorder)
      state = .polling
    case .polling:
      if let tick = tickDeadline, tick <= instant {
        clock = max(clock, tick)
        guard let due = sketch.tick(at: microseconds(of: clock)) else { return }
        if due.abandonsNumber { recorder.abandonedNumber() }
        state = .acting(due.action, wasDue: true)
      } else if ring.isEmpty {
        clock = instant
        state = .speaking
      } else {
        clock = instant
        take(ring.removeFirst(), &recorder)
      }
    case .speaking:
      clock = instant
      transmitter.send(speech.next(), at: clock)
      state = .polling
    }
  }

  private mutating func take(_ byte: UInt8, _ recorder: inout Recorder) {
    let wasSweeping = sketch.isSweeping
    let taken = sketch.receive(byte, at: microseconds(of: clock))
    if taken.abandonsNumber { recorder.abandonedNumber() }
    let endedScan = wasSweeping && !sketch.isSweeping
    recorder.took(Fate(taken.fate), at: clock, endedScan: endedScan)
    state = .acting(taken.action, wasDue: false)
  }

  private func cost(of action: Action, wasDue: Bool) -> Interval {
    if wasDue { return action.degrees != nil || action.hertz != nil ? timing.stepWrite : .zero }
    if action.degrees != nil { return timing.angleWrite }
    if action.hertz != nil { return timing.toneSetUp }
    return action.line != nil ? Speech.roomCost : .zero
  }

  private mutating func carryOut(_ action: Action, _ recorder: inout Recorder) {
    if let degrees = action.degrees { store(degrees, &recorder) }
    if let hertz = action.hertz {
      self.hertz = hertz
      recorder.put(.tone(hertz: Double(hertz)), at: clock)
    }
    guard let line = action.line else { return }
    guard transmitter.room >= speech.unsentCount + Int(line.count) else {
      return sketch.droppedLine()
    }
    speech.append(line)
  }

  private mutating func store(_ degrees: UInt8, _ recorder: inout Recorder) {
    let pulse = ServoPulse.microseconds(of: degrees)
    stored = pulse
    guard pulse != reported else { return }
    reported = pulse
    recorder.put(.servo(degrees: degrees, microseconds: pulse), at: clock)
  }

  /// Returns the value of `micros()`: whole microseconds since reset, the low 32 bits.
  private func microseconds(of instant: Instant) -> UInt32 {
    UInt32(truncatingIfNeeded: (instant - start).nanoseconds / 1_000)
  }

  /// When the sketch next acts without a byte: the first instant at which `micros()` reaches the
  /// deadline.
  private var tickDeadline: Instant? {
    guard let wait = sketch.microsecondsToDeadline(from: microseconds(of: clock)) else {
      return nil
    }
    if wait == 0 { return clock }
    let whole = (clock - start).nanoseconds / 1_000 + Int64(wait)
    return start + .microseconds(whole)
  }
}

extension Fate {
  init(_ fate: Taken.Fate) {
    switch fate {
    case .letter: self = .letter
    case .digit: self = .digit
    case .terminator: self = .terminator
    case .junk: self = .junk
    case .abandoned: self = .abandoned
    }
  }
}

/// The lines that the board of `guarded` has yet to send, the current one first. It formats them a
/// byte at a time, between its other work.
struct Speech: Hashable, Codable {
  private var lines: [Line] = []
  /// The number of bytes of the first line that have been sent.
  private var said: UInt8 = 0

  var isEmpty: Bool { lines.isEmpty }

  /// Whether it can continue after it was read from a file, with that much room for its bytes.
  func canResume(in room: Int) -> Bool {
    said < lines.first?.count ?? 1 && unsentCount <= room
  }

  /// The number of bytes still to send.
  var unsentCount: Int { lines.reduce(-Int(said)) { $0 + Int($1.count) } }

  mutating func append(_ line: Line) { lines.append(line) }

  /// The time from taking a byte that requests a line until the line can be sent, measured as for
  /// `cost`.
  static let roomCost = Interval.microseconds(60)

  /// The time to format the next byte and to complete one turn of the loop. Measured on
  /// `firmware/guarded/guarded.hex`: a digit of a decimal number takes a division for each place, a
  /// digit of the clock takes a shift.
  var cost: Interval {
    guard let line = lines.first else { return .zero }
    let round = Interval.nanoseconds(39_000)
    let index = Int64(said)
    if line.count == 11 {
      return index < 8 ? round + .nanoseconds(2_500 * (7 - index)) : round
    }
    let lastDigits: [Int64] = [2, 16, 25, 36, 47]
    guard let last = lastDigits.first(where: { ($0 == 2 ? 0 : $0 - 4)...$0 ~= index }) else {
      return round
    }
    return round + .nanoseconds(12_400 + 13_000 * (last - index))
  }

  /// Returns the next byte. There must be one.
  mutating func next() -> UInt8 {
    let byte = lines[0].byte(at: said)
    said += 1
    if said == lines[0].count {
      lines.removeFirst()
      said = 0
    }
    return byte
  }
}
