import Sketches
import Traces

/// Moves a trace's expectations to the times of a live session: each output keeps its distance from
/// its cause. Sweeps and tones last as long as the sender lets them.
struct Retiming {
  /// How far a board and the model can drift apart in a long sweep.
  private static let slack = Interval.milliseconds(2)
  /// A tone that began before a running board's state was known has ended after this time.
  static let toneMax = Interval.milliseconds(250)

  private let traced: TracedSession
  private let live: Causes
  private let outputs: OutputIndex
  /// The model's outputs in the live session.
  private let model: OutputIndex
  private let tolerance: Interval
  private let fix: TracedSession.Fix?
  /// When the live session ends.
  private let end: Instant
  /// The trace's bytes and outputs at the session's times, each kind in its order.
  private(set) var expected: [Expectation] = []
  /// The session's outputs that are compared with them.
  private(set) var found: [Event]

  /// Moves the expectations of these kinds up to `limit`, an instant of the session, which ended at
  /// `end`. `fix`: if a board's state was unknown at first, only what follows the fix is compared.
  init(
    _ traced: TracedSession, onto live: Causes, _ outputs: [Event], _ kinds: Set<Output.Kind>,
    tolerance: Interval, fix: TracedSession.Fix?, until limit: Instant, end: Instant
  ) {
    self.traced = traced
    self.live = live
    self.outputs = OutputIndex(outputs)
    model = OutputIndex(live.outputs)
    self.tolerance = tolerance
    self.fix = fix
    self.end = end
    found = outputs
    expectInputs(until: limit)
    if kinds.contains(.servo) { expectServo() }
    if kinds.contains(.tone) { expectTones() }
    if kinds.contains(.lost) { expectLost() }
    if kinds.contains(.transmit) {
      let replies = ReplyComparison(traced, live: live, self.outputs[.transmit])
      expected += replies.expected
      found.removeAll { $0.output?.kind == .transmit }
      found += replies.found
      found.sort { $0.time < $1.time }
    }
    if let fix {
      let fixed = fixed(fix)
      // If the state was never fixed, there is nothing to compare.
      let quiet = fixed == .distantFuture ? fixed : fixed + Self.toneMax
      found.removeAll { $0.time <= fixed || $0.time <= quiet && $0.output?.kind == .tone }
      expected.removeAll { $0.event.time <= quiet && $0.event.output?.kind == .tone }
    }
    if limit < end {
      found.removeAll { $0.time > limit }
      expected.removeAll { $0.event.time > limit }
    }
  }

  private mutating func expect(_ output: Output, at time: Instant, line: Int) {
    expected.append(Expectation(Event(time.roundedUpToMicrosecond, output), line: line))
  }

  /// Adds the trace's bytes, for the report.
  private mutating func expectInputs(until limit: Instant) {
    var index = 0
    let byteTime = ByteClock.byteTime(baud: traced.trace.header.baud)
    for input in traced.trace.inputs {
      guard case .receive(let bytes) = input.event.kind, index < live.bytes.count else { continue }
      let time = (live.bytes[index].arrived - byteTime).roundedUpToMicrosecond
      if time <= limit {
        expected.append(Expectation(Event(time, input.event.kind), line: input.line))
      }
      index += bytes.count
    }
  }

  private mutating func expectLost() {
    for lost in traced.lost where isFixed(lost.cause) {
      guard let base = arrival(lost.cause) else { continue }
      expect(lost.output, at: base + lost.offset, line: lost.line)
    }
  }

  /// Returns when the live session's state was fixed: at a reset, or with the trace's aim.
  private func fixed(_ fix: TracedSession.Fix) -> Instant {
    switch fix {
    case .reset(let number):
      return number <= live.resets.count ? live.resets[number - 1] : .zero
    case .aim(let byte):
      guard byte < live.bytes.count else { return .distantFuture }
      let arrived = live.bytes[byte].arrived
      let last = (live.time(of: .byte(byte)) ?? arrived) + tolerance
      guard let aim = traced.aim(byte) else { return last }
      return outputs.first(aim.output, from: arrived, to: last)?.time ?? last
    }
  }

  /// Whether the board's state is known when a cause occurs.
  private func isFixed(_ cause: Cause) -> Bool {
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

  private mutating func expectServo() {
    var state: ServoState?
    for act in traced.servo {
      guard isFixed(act.cause) else {
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

  private mutating func expectTones() {
    var tones: [(tone: TracedTone, start: Instant)] = []
    for tone in traced.tones where isFixed(tone.cause) {
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

/// A session's outputs by kind, for searching around an instant.
struct OutputIndex {
  private var byKind = Array(repeating: [Event](), count: Output.Kind.allCases.count)
  /// Whether each of them has been paired.
  private var isPaired: [[Bool]]

  /// The outputs must be in order of time.
  init(_ events: [Event]) {
    for event in events {
      if let kind = event.output?.kind { byKind[kind.rawValue].append(event) }
    }
    isPaired = byKind.map { $0.map { _ in false } }
  }

  subscript(_ kind: Output.Kind) -> [Event] { byKind[kind.rawValue] }

  /// Returns the indices of the matching outputs in a period, among those of its kind.
  private func matches(_ output: Output, from start: Instant, to end: Instant) -> [Int] {
    let events = self[output.kind]
    var indices: [Int] = []
    var index = events.partitioningIndex { $0.time >= start }
    while index < events.count, events[index].time <= end {
      if let found = events[index].output, output.matches(found) { indices.append(index) }
      index += 1
    }
    return indices
  }

  /// Returns the first output with that value in a period.
  func first(_ output: Output, from start: Instant, to end: Instant) -> Event? {
    matches(output, from: start, to: end).first.map { self[output.kind][$0] }
  }

  func contains(_ output: Output, at instant: Instant, within window: Interval) -> Bool {
    first(output, from: instant - window, to: instant + window) != nil
  }

  /// Returns the number of matching outputs around an instant.
  func count(_ output: Output, at instant: Instant, within window: Interval) -> Int {
    matches(output, from: instant - window, to: instant + window).count
  }

  /// Pairs the nearest matching output without a partner. Returns its time; nil if there is none.
  mutating func pair(_ output: Output, at time: Instant, within window: Interval) -> Instant? {
    let kind = output.kind.rawValue
    func distance(_ index: Int) -> Interval { (byKind[kind][index].time - time).magnitude }
    let nearest = matches(output, from: time - window, to: time + window)
      .filter { !isPaired[kind][$0] }.min { distance($0) < distance($1) }
    guard let nearest else { return nil }
    isPaired[kind][nearest] = true
    return byKind[kind][nearest].time
  }

  /// Returns the outputs of a kind after an instant that have no partner.
  func unpaired(_ kind: Output.Kind, after instant: Instant) -> [Event] {
    zip(self[kind], isPaired[kind.rawValue]).filter { !$1 && $0.time > instant }.map { $0.0 }
  }
}

/// Makes the replies of two boards comparable byte by byte.
///
/// Lines that report servo writes contain the board's clock, and their number depends on a sweep's
/// steps. If a trace requests any, they are left out on both sides: the servo events contain the
/// same information. In an answer to `?`, the angle of a sweep is replaced.
struct ReplyComparison {
  /// The longest wait in the transmit buffer before a line: 63 bytes.
  private static let queue = Interval.milliseconds(66)

  private(set) var expected: [Expectation] = []
  private(set) var found: [Event] = []

  init(_ traced: TracedSession, live: Causes, _ sent: [Event]) {
    var lines = ReplyLine.lines(
      sent.compactMap { event in
        guard case .transmit(let byte) = event.output else { return nil }
        return ReplyLine.Byte(time: event.time, byte: byte, line: 0)
      })
    if traced.reportsWrites { lines.removeAll { $0.reportsWrite } }
    for (index, reply) in traced.replies.enumerated() {
      guard let base = live.time(of: reply.cause) else { continue }
      let partner = index < lines.count ? lines[index] : nil
      let wanted =
        partner.map {
          reply.line.taking(timedPartsOf: $0, writesAreReported: traced.reportsWrites)
        } ?? reply.line
      var start = base + reply.offset
      if traced.reportsWrites, let partner, (partner.start - start).magnitude <= Self.queue {
        // Only one of the two replies had to wait for reports of writes.
        start = partner.start
      }
      for byte in wanted.bytes {
        let time = start + (byte.time - wanted.start)
        expected.append(Expectation(Event(time, .transmit(byte.byte)), line: byte.line))
      }
    }
    for (index, line) in lines.enumerated() {
      if index >= traced.replies.count, index < traced.replies.count + traced.unshownReplies {
        continue
      }
      var bytes = line.bytes[...]
      if index < traced.replies.count {
        let reply = traced.replies[index].line
        // The trace ends in the middle of the reply.
        if !reply.isWhole,
          traced.trace.end - reply.bytes[reply.bytes.count - 1].time <= traced.window
        {
          bytes = bytes.prefix(reply.bytes.count)
        }
      }
      found += bytes.map { Event($0.time, .transmit($0.byte)) }
    }
  }
}

/// A line from the board: its bytes up to LF, as they arrive.
struct ReplyLine: Hashable {
  struct Byte: Hashable {
    var time: Instant
    var byte: UInt8
    /// The trace's line; 0 in a live session.
    var line: Int
  }

  private(set) var bytes: [Byte]

  /// Splits a board's bytes into lines. The last line can lack its end.
  static func lines(_ bytes: some Sequence<Byte>) -> [ReplyLine] {
    var lines: [ReplyLine] = []
    var isOpen = false
    for byte in bytes {
      if isOpen {
        lines[lines.count - 1].bytes.append(byte)
      } else {
        lines.append(ReplyLine(bytes: [byte]))
      }
      isOpen = byte.byte != 0x0A
    }
    return lines
  }

  var start: Instant { bytes[0].time }
  var isWhole: Bool { bytes[bytes.count - 1].byte == 0x0A }

  /// Whether the line reports a servo write: eight hexadecimal digits of the board's clock and two
  /// of degrees. Of a truncated line, only the part that is present is checked.
  var reportsWrite: Bool {
    let digits = isWhole ? bytes.dropLast() : bytes[...]
    return (isWhole ? digits.count == 10 : digits.count <= 10)
      && digits.allSatisfy { 0x30...0x39 ~= $0.byte || 0x61...0x66 ~= $0.byte }
  }

  /// Whether the line is a complete answer to `?`, whose fields are at fixed offsets.
  private var isStatus: Bool { bytes.count == 49 && isWhole }
  private static let degrees = 0..<3
  private static let mode = 4..<8
  private static let dropped = 43..<48

  private func text(_ range: Range<Int>) -> [UInt8] { bytes[range].map { $0.byte } }

  /// Returns the line with its timing-dependent fields taken from another: the angle if both are
  /// sweeping and, if writes are reported, how many lines were dropped.
  func taking(timedPartsOf other: ReplyLine, writesAreReported: Bool) -> ReplyLine {
    guard isStatus, other.isStatus else { return self }
    var line = self
    func take(_ range: Range<Int>) {
      for index in range { line.bytes[index].byte = other.bytes[index].byte }
    }
    if text(Self.mode) == Array("scan".utf8), other.text(Self.mode) == text(Self.mode) {
      take(Self.degrees)
    }
    if writesAreReported { take(Self.dropped) }
    return line
  }
}
