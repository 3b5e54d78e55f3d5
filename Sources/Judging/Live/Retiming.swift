import Sketches
import Traces

/// Moves a trace's expectations to the times of a live session: each output keeps its distance from
/// its cause. Sweeps and tones last as long as the sender lets them.
struct Retiming {
  /// How far a board and the model can drift apart in a long sweep.
  private static let slack = Interval.milliseconds(2)

  let traced: TracedSession
  let live: Causes
  let outputs: LiveOutputs
  /// The model's outputs in the live session.
  let model: LiveOutputs
  let tolerance: Interval
  /// When the live session ends.
  let end: Instant
  /// The expectations, each kind in its order.
  private(set) var expectations: [Expectation] = []

  init(
    _ traced: TracedSession, onto live: Causes, _ outputs: LiveOutputs, model: LiveOutputs,
    tolerance: Interval, end: Instant
  ) {
    self.traced = traced
    self.live = live
    self.outputs = outputs
    self.model = model
    self.tolerance = tolerance
    self.end = end
  }

  /// Adds the trace's outputs of a kind. `fix`: if a board's state was unknown at first, only what
  /// follows the fix is expected.
  mutating func expect(_ kind: Output.Kind, after fix: TracedSession.Fix?) {
    switch kind {
    case .servo: expectServo(after: fix)
    case .tone: expectTones(after: fix)
    case .lost:
      for lost in traced.lost where isFixed(lost.cause, fix) {
        guard let base = arrival(lost.cause) else { continue }
        expect(lost.output, at: base + lost.offset, line: lost.line)
      }
    // Replies are compared by `ReplyComparison`.
    default: break
    }
  }

  mutating func expect(_ output: Output, at time: Instant, line: Int) {
    expectations.append(Expectation(Event(time.roundedUpToMicrosecond, output), line: line))
  }

  /// Whether the board's state is known when a cause occurs.
  private func isFixed(_ cause: Cause, _ fix: TracedSession.Fix?) -> Bool {
    switch fix {
    case nil: true
    case .reset(let number): traced.base(cause) >= traced.causes.resets[number - 1]
    case .aim(let byte): traced.base(cause) > traced.base(.byte(byte))
    }
  }

  private func arrival(_ cause: Cause) -> Instant? {
    guard case .byte(let index) = cause else { return live.time(of: cause) }
    return index < live.bytes.count ? live.bytes[index].arrived : nil
  }

  // MARK: The servo

  private mutating func expectServo(after fix: TracedSession.Fix?) {
    var state: ServoState?
    for act in traced.servo {
      guard isFixed(act.cause, fix) else {
        if case .write(let write) = act { state = write.state }
        continue
      }
      switch act {
      case .write(let write): expect(write, &state)
      case .sweep(let sweep): expect(sweep, &state)
      }
    }
  }

  private mutating func expect(_ write: TracedServo.Write, _ state: inout ServoState?) {
    guard let base = live.time(of: write.cause) else { return }
    let time = base + write.offset
    let output = write.state.output
    if write.standing == .unshown, !outputs.contains(output, at: time, within: tolerance) { return }
    // When a sketch starts, it does not know the servo's position.
    if case .start = write.cause { state = nil }
    if state != write.state { expect(output, at: time, line: write.line) }
    state = write.state
  }

  private mutating func expect(_ sweep: TracedServo.Sweep, _ state: inout ServoState?) {
    guard let base = live.time(of: .byte(sweep.cause)) else { return }
    guard let scan = live.scan(causedBy: sweep.cause), let from = state ?? sweep.from else {
      for step in sweep.steps {
        expect(step.state.output, at: base + step.offset, line: step.line)
        state = step.state
      }
      return
    }
    let isAligned = sweep.from == from
    for (index, planned) in SweepPlan(
      traced.timing, in: traced.sketch.scan, from: from, begin: scan.begin
    ).enumerated() {
      var (time, next) = (planned.time, planned.state)
      if index < sweep.steps.count {
        if isAligned { (time, next) = (base + sweep.steps[index].offset, sweep.steps[index].state) }
      } else if sweep.endsByItself {
        return
      }
      if let stop = scan.end {
        if !isStep(next.output, at: time, before: stop) { return }
      } else if time > end {
        return
      }
      let line =
        sweep.steps.isEmpty ? sweep.line : sweep.steps[min(index, sweep.steps.count - 1)].line
      expect(next.output, at: time, line: line)
      state = next
    }
  }

  /// Whether a step came before the scan ended.
  ///
  /// A board a few microseconds slower or faster than the model can notice a byte a whole step
  /// earlier or later, both the byte that begins a scan and the one that ends it. So close to the
  /// end, the board decides if it shows a different number of such events than the model.
  private func isStep(_ output: Output, at time: Instant, before stop: Instant) -> Bool {
    let step = traced.timing.step
    let window = step + Self.slack
    guard time > stop - step - window else { return true }
    guard time <= stop + window else { return false }
    let seen = outputs.count(output, at: time, within: window)
    let due = model.count(output, at: time, within: window)
    return seen == due ? time <= stop : seen > due
  }

  // MARK: The buzzer

  private mutating func expectTones(after fix: TracedSession.Fix?) {
    var tones: [(tone: TracedTone, start: Instant)] = []
    for tone in traced.tones where isFixed(tone.cause, fix) {
      guard let base = live.time(of: tone.cause) else { continue }
      let start = base + tone.offset
      if tone.isShown || outputs.contains(.tone(hertz: tone.hertz), at: start, within: tolerance) {
        tones.append((tone, start))
      }
    }
    for (index, (tone, start)) in tones.enumerated() {
      expect(.tone(hertz: tone.hertz), at: start, line: tone.line)
      guard tone.hertz != 0, let length = tone.length else { continue }
      var silence = start + length
      if let reset = live.resets.first(where: { $0 > start }) { silence = min(silence, reset) }
      if index + 1 < tones.count {
        let next = tones[index + 1].start
        if next < silence - tolerance { continue }
        // They are so close that either order is allowed; the device's order is used.
        if next <= silence + tolerance,
          outputs.first(.tone(hertz: 0), from: start, to: next + tolerance) == nil
        {
          continue
        }
      } else if silence > end {
        continue
      }
      expect(.tone(hertz: 0), at: silence, line: tone.silenceLine)
    }
  }
}

/// A live session's outputs by kind, for searching around an instant.
struct LiveOutputs {
  private var byKind = Array(repeating: [Event](), count: Output.Kind.allCases.count)

  init(_ events: [Event]) {
    for event in events {
      if let kind = event.output?.kind { byKind[kind.rawValue].append(event) }
    }
  }

  subscript(_ kind: Output.Kind) -> [Event] { byKind[kind.rawValue] }

  /// Returns the first output with that value in a period.
  func first(_ output: Output, from start: Instant, to end: Instant) -> Event? {
    for event in events(output.kind, from: start, to: end) where event.matches(output) {
      return event
    }
    return nil
  }

  func contains(_ output: Output, at instant: Instant, within window: Interval) -> Bool {
    first(output, from: instant - window, to: instant + window) != nil
  }

  /// Returns the number of matching outputs around an instant.
  func count(_ output: Output, at instant: Instant, within window: Interval) -> Int {
    var count = 0
    for event in events(output.kind, from: instant - window, to: instant + window)
    where event.matches(output) {
      count += 1
    }
    return count
  }

  private func events(
    _ kind: Output.Kind, from start: Instant, to end: Instant
  ) -> ArraySlice<Event> {
    let events = self[kind]
    let first = events.partitioningIndex { $0.time >= start }
    return events[first...].prefix { $0.time <= end }
  }
}

extension Event {
  /// Whether this is an output that matches the expected one.
  fileprivate func matches(_ expected: Output) -> Bool {
    guard let output else { return false }
    return expected.matches(output)
  }
}
