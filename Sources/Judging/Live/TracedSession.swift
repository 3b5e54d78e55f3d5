import Sketches
import Traces

/// A trace prepared for judging a live session: its bytes, and its outputs with their causes.
///
/// The trace can be a recording or expectations written by hand. If the model has the same output
/// at about the same time, the output has the model's cause; otherwise its cause is the last byte
/// that the sketch took, or its last start.
struct TracedSession: Sendable {
  /// How far the model runs past the trace's end, to find what the trace ends too early to show.
  private static let afterEnd = Interval.seconds(2)

  let trace: TracedEvents
  let causes: Causes
  let sketch: SketchDescription
  let timing: Timing
  /// The fit of a computer's clock to the model's.
  let fit: ClockFit?
  /// The trace's line for each byte that reaches the board.
  let byteLines: [Int]
  /// The servo actions in order of their causes.
  var servo: [TracedServo] = []
  var tones: [TracedTone] = []
  var lost: [(cause: Cause, offset: Interval, output: Output, line: Int)] = []
  var replies: [(cause: Cause, offset: Interval, line: ReplyLine)] = []
  /// The number of queries whose answers the trace ends too early to show.
  var unshownReplies = 0
  var reportsWrites = false
  /// When the last output occurs.
  let lastOutput: Instant
  /// Where the state of a board that was already running becomes known: at a reset or an aim.
  var fix: Fix?

  enum Fix: Hashable {
    case reset(Int)
    case aim(byte: Int)
  }

  /// `timing` contains the figures of the trace's build; nil for the measured ones.
  init(_ trace: TracedEvents, firmware: Firmware, timing: Timing?) {
    self.trace = trace
    var events = trace.events

    var course = Course(
      SessionSetup(
        firmware: firmware, timing: timing, baud: trace.header.baud, start: trace.header.start))
    for input in trace.inputs { course.take(input.event) }
    course.advance(to: trace.end + Self.afterEnd)
    self.timing = course.timing
    sketch = course.sketch
    causes = Causes(course)
    byteLines = trace.lines(of: causes.bytes)

    fit = trace.header.clock == .host ? ClockFit(events, causes.outputs) : nil
    if let fit {
      for index in events.indices where events[index].event.output != nil {
        events[index].event.time = fit.device(events[index].event.time)
      }
    }
    lastOutput =
      events.last { $0.event.output != nil && $0.event.output?.kind != .pulse }?.event.time ?? .zero
    read(events.filter { $0.event.output != nil }, course.aims)
  }

  /// How far apart the trace's output and the model's can be and still be the same.
  var window: Interval {
    let jitter = max(trace.header.tolerance, .milliseconds(20))
    return trace.header.clock == .host && fit == nil ? jitter + .milliseconds(50) : jitter
  }

  /// Returns the servo write that a byte causes directly in the trace.
  func aim(_ byte: Int) -> ServoState? {
    for case .write(let write) in servo where write.cause == .byte(byte) { return write.state }
    return nil
  }
}

/// Finds the cause of each of a trace's outputs.
extension TracedSession {
  private mutating func read(_ events: [Expectation], _ aims: [Int: ServoState]) {
    var model = OutputIndex(causes.outputs)
    var writes: [TracedServo.Write] = []
    var steps = Array(repeating: [TracedServo.Sweep.Step](), count: causes.scans.count)
    var sounds: [(event: Expectation, cause: Cause)] = []
    var replyBytes: [ReplyLine.Byte] = []
    for expectation in events {
      let (time, line) = (expectation.event.time, expectation.line)
      guard let output = expectation.event.output else { continue }
      switch output {
      case .transmit(let byte):
        replyBytes.append(ReplyLine.Byte(time: time, byte: byte, line: line))
      case .tone:
        let seen = model.pair(output, at: time, within: window) ?? time
        sounds.append((expectation, causes.cause(by: seen)))
      case .lost(let byte, _):
        let index = byteLost(byte, at: time)
        let offset = time - (index.map { causes.bytes[$0].arrived } ?? time)
        let cause = index.map(Cause.byte) ?? causes.cause(by: time)
        lost.append((cause, offset, output, line))
      case .servo:
        guard let state = ServoState(output) else { continue }
        let seen = model.pair(output, at: time, within: window) ?? time
        if let scan = causes.scan(at: seen) {
          let offset = time - causes.scans[scan].begin
          steps[scan].append(.init(offset: offset, state: state, line: line))
        } else {
          let cause = causes.cause(by: seen)
          writes.append(
            .init(
              cause: cause, offset: time - base(cause), state: state, standing: .shown, line: line))
        }
      default: break
      }
    }
    readReplies(replyBytes)
    readTones(sounds, unshown: model.unpaired(.tone, after: trace.end - window))
    readServo(writes, steps, aims)
  }

  func base(_ cause: Cause) -> Instant { causes.time(of: cause) ?? .zero }

  private func byteLost(_ byte: UInt8, at time: Instant) -> Int? {
    let first = causes.bytes.partitioningIndex { $0.arrived >= time - window }
    return causes.bytes[first...].indices
      .prefix { causes.bytes[$0].arrived <= time + window }
      .filter { causes.bytes[$0].byte == byte }
      .min {
        (causes.bytes[$0].arrived - time).magnitude < (causes.bytes[$1].arrived - time).magnitude
      }
  }

  // MARK: The servo

  private mutating func readServo(
    _ writes: [TracedServo.Write], _ steps: [[TracedServo.Sweep.Step]], _ aims: [Int: ServoState]
  ) {
    let writeCauses = Set(writes.map { $0.cause })
    var acts = writes.map(TracedServo.write)
    for (byte, state) in aims where !writeCauses.contains(.byte(byte)) {
      acts.append(
        .write(
          .init(
            cause: .byte(byte), offset: timing.angleWrite, state: state,
            standing: base(.byte(byte)) > trace.end - window ? .unshown : .silent, line: line(byte))
        ))
    }
    for (scan, steps) in zip(causes.scans, steps) {
      acts.append(.sweep(.init(cause: scan.cause, steps: steps, line: line(scan.cause))))
    }
    // By cause, as a computer's stamps are not reliable enough. Acts of one cause keep their order.
    let bases = acts.map { base($0.cause) }
    let order = acts.indices.sorted { (bases[$0], $0) < (bases[$1], $1) }

    var state: ServoState?
    for act in order.map({ acts[$0] }) {
      switch act {
      case .write(let write):
        // The trace omits a write that would have been visible, so none is expected.
        if write.standing == .silent, write.state != state { continue }
        servo.append(act)
        state = write.state
      case .sweep(var sweep):
        sweep.from = state
        sweep.endsByItself = endsByItself(sweep)
        servo.append(.sweep(sweep))
        state = sweep.steps.last?.state ?? state
      }
    }
    findFix(aims)
  }

  private mutating func findFix(_ aims: [Int: ServoState]) {
    let reset = causes.resets.first ?? .distantFuture
    if reset != .distantFuture { fix = .reset(1) }
    for case .write(let write) in servo where write.standing == .shown {
      guard case .byte(let byte) = write.cause, aims[byte] == write.state else { continue }
      if base(write.cause) < reset { fix = .aim(byte: byte) }
      return
    }
  }

  /// Whether a sweep shows fewer steps than it had time for.
  private func endsByItself(_ sweep: TracedServo.Sweep) -> Bool {
    guard let from = sweep.from, let scan = causes.scan(causedBy: sweep.cause) else {
      return false
    }
    let last = min(scan.end ?? trace.end, trace.end) - window
    let plan = SweepPlan(timing, in: sketch.scan, from: from, begin: scan.begin)
    return plan.prefix(sweep.steps.count + 1).allSatisfy { $0.time <= last }
  }

  func line(_ byte: Int) -> Int { byte < byteLines.count ? byteLines[byte] : trace.lastLine }

  // MARK: The buzzer

  private mutating func readTones(
    _ sounds: [(event: Expectation, cause: Cause)], unshown: [Event]
  ) {
    for (event, cause) in sounds {
      guard case .tone(let hertz) = event.event.output else { continue }
      let time = event.event.time
      if hertz == 0, let last = tones.indices.last, tones[last].hertz != 0,
        tones[last].length == nil
      {
        let start = start(of: tones[last])
        // A reset cut it short, so its own length is unknown.
        let isCut = causes.resets.contains { ($0 - time).magnitude <= window && $0 > start }
        tones[last].length = isCut ? timing.toneLength : time - start
        tones[last].silenceLine = event.line
      } else {
        tones.append(
          TracedTone(
            cause: cause, offset: time - base(cause), hertz: hertz, length: nil, isShown: true,
            line: event.line, silenceLine: event.line))
      }
    }
    for index in tones.indices where tones[index].length == nil && tones[index].hertz != 0 {
      // Another tone or the trace's end came before the end. Otherwise the tone never ends.
      let next = index + 1 < tones.count ? start(of: tones[index + 1]) : trace.end
      if next - start(of: tones[index]) <= timing.toneLength + window {
        tones[index].length = timing.toneLength
      }
    }
    for seen in unshown {
      guard case .tone(let hertz) = seen.output, hertz > 0 else { continue }
      let cause = causes.cause(by: seen.time)
      tones.append(
        TracedTone(
          cause: cause, offset: seen.time - base(cause), hertz: hertz, length: timing.toneLength,
          isShown: false, line: trace.lastLine, silenceLine: trace.lastLine))
    }
  }

  private func start(of tone: TracedTone) -> Instant { base(tone.cause) + tone.offset }

  // MARK: Replies

  private mutating func readReplies(_ bytes: [ReplyLine.Byte]) {
    let questions = causes.bytes.indices.filter {
      causes.bytes[$0].fate == .letter && sketch.letter(causes.bytes[$0].byte) == .status
    }
    reportsWrites = causes.bytes.contains {
      $0.fate == .letter && sketch.letter($0.byte) == .telemetry
    }
    var answered: Set<Int> = []
    for line in ReplyLine.lines(bytes) {
      if reportsWrites, line.reportsWrite { continue }
      let question = questions.last {
        base(.byte($0)) <= line.start + window && !answered.contains($0)
      }
      if let question { answered.insert(question) }
      let cause = question.map(Cause.byte) ?? causes.cause(by: line.start)
      replies.append((cause, line.start - base(cause), line))
    }
    unshownReplies = questions.count {
      !answered.contains($0) && base(.byte($0)) > trace.end - window
    }
  }
}

/// A servo action in a trace, timed from its cause.
enum TracedServo: Sendable {
  case write(Write)
  case sweep(Sweep)

  /// A single write of the servo.
  struct Write: Hashable {
    enum Standing: Hashable {
      /// The trace has an event for the write.
      case shown
      /// An aim at the servo's current angle. The trace has no event for it, but a session whose
      /// sweep ended at another angle does.
      case silent
      /// The trace ends too early to show it.
      case unshown
    }

    var cause: Cause
    /// From the cause to the event.
    var offset: Interval
    var state: ServoState
    var standing: Standing
    var line: Int
  }

  /// A sweep as the trace shows it.
  struct Sweep: Hashable {
    struct Step: Hashable {
      /// From taking the `L`.
      var offset: Interval
      var state: ServoState
      var line: Int
    }

    /// The `L`, counted from 0.
    var cause: Int
    /// The servo's state when the sweep began; nil before the first write.
    var from: ServoState?
    var steps: [Step]
    /// Whether it ended by itself, so that at most `steps` are expected in any session.
    var endsByItself = false
    var line: Int
  }

  var cause: Cause {
    switch self {
    case .write(let write): write.cause
    case .sweep(let sweep): .byte(sweep.cause)
    }
  }
}

/// A tone of a trace, timed from its cause.
struct TracedTone: Hashable {
  var cause: Cause
  /// From the cause to the tone's start.
  var offset: Interval
  var hertz: Double
  /// How long it sounds if nothing cuts it short; nil if it does not end.
  var length: Interval?
  /// Whether the trace has an event for its start; false if it ends too early to show one.
  var isShown: Bool
  var line: Int
  var silenceLine: Int
}
