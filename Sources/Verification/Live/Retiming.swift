import Traces
import Turret

/// Moves what a trace expects onto the time of a live session: every output to where its cause
/// came, sweeps as long as the sender let them be, tones cut short where it did.
struct Retiming {
  /// How far a board and the model may be apart after a long sweep.
  private static let slack = Interval.milliseconds(2)

  let traced: TracedSession
  let live: Causes
  let outputs: LiveOutputs
  /// What the model shows in the live session.
  let model: LiveOutputs
  let tolerance: Interval
  /// Where the live session ends.
  let end: Instant
  /// What is expected, each kind in its order.
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

  /// Expects what the trace has of a kind. `fix`: of a board whose state was not known at first,
  /// only what comes after that.
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

  /// Whether a cause comes late enough for the board's state to be known.
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
    // A sketch that starts does not know where the servo stands.
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
      traced.timing, in: traced.scanRange, from: from, begin: scan.begin
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

  /// Whether a step was in time before the scan ended.
  ///
  /// A board a few microseconds slower or quicker than the model may notice a byte a whole step
  /// earlier or later, the one that begins a scan as well as the one that ends it. So close to the
  /// end it has the say, if it shows another number of such events there than the model.
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
        // So close that it is the device that says which came first.
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
