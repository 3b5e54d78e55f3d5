import Traces
import Turret

/// Compares a live session's outputs with a trace's, moved to the session's times.
struct LiveComparison {
  /// A tone that began before a running board's state was known has ended after this time.
  private static let toneMax = Interval.milliseconds(250)

  private let traced: TracedSession
  private let kinds: Set<Output.Kind>
  private let tolerance: Interval
  private let fix: TracedSession.Fix?
  private(set) var comparison: Comparison

  /// `fix`: if a board's state was unknown at first, only what follows the fix is compared.
  init(
    _ traced: TracedSession, kinds: Set<Output.Kind>, tolerance: Interval,
    fix: TracedSession.Fix?
  ) {
    self.traced = traced
    self.kinds = kinds
    self.tolerance = tolerance
    self.fix = fix
    comparison = Comparison(kinds: kinds, tolerance: tolerance)
  }

  /// Compares the outputs up to an instant of the session, which ended at `end`.
  mutating func compare(
    _ live: Causes, _ outputs: [Event], until limit: Instant, end: Instant
  ) {
    let seen = LiveOutputs(outputs)
    let model = LiveOutputs(live.outputs.map { Event($0.time, $0.output) })
    var retiming = Retiming(
      traced, onto: live, seen, model: model, tolerance: tolerance, end: end)
    for kind in Output.Kind.allCases where kinds.contains(kind) {
      retiming.expect(kind, after: fix)
    }
    var expected = retiming.expectations
    var found = outputs
    if kinds.contains(.transmit) {
      let replies = ReplyComparison(traced, live: live, seen[.transmit])
      expected += replies.expected
      found.removeAll { $0.output?.kind == .transmit }
      found += replies.found
      found.sort { $0.time < $1.time }
    }
    if let fix {
      let fixed = fixed(fix, live, seen)
      // If the state was never fixed, there is nothing to compare.
      let quiet = fixed == .distantFuture ? fixed : fixed + Self.toneMax
      found.removeAll { $0.time <= fixed || $0.time <= quiet && $0.output?.kind == .tone }
      expected.removeAll { $0.event.time <= quiet && $0.event.output?.kind == .tone }
    }
    if limit < end {
      found.removeAll { $0.time > limit }
      expected.removeAll { $0.event.time > limit }
    }
    comparison.feed(inputs(live, until: limit) + expected, found)
    comparison.finish(at: limit, line: traced.lastLine)
  }

  /// Returns the trace's bytes at the session's times, for the report.
  private func inputs(_ live: Causes, until limit: Instant) -> [Expectation] {
    var inputs: [Expectation] = []
    var index = 0
    let byteTime = ByteClock.byteTime(baud: traced.header.baud)
    for input in traced.inputs {
      guard case .receive(let bytes) = input.event.kind, index < live.bytes.count else { continue }
      let time = (live.bytes[index].arrived - byteTime).roundedUpToMicrosecond
      if time <= limit {
        inputs.append(Expectation(Event(time, input.event.kind), line: input.line))
      }
      index += bytes.count
    }
    return inputs
  }

  /// Returns when the live session's state was fixed: at a reset, or with the aim that is also in
  /// the trace.
  private func fixed(
    _ fix: TracedSession.Fix, _ live: Causes, _ seen: LiveOutputs
  ) -> Instant {
    switch fix {
    case .reset(let number):
      return number <= live.resets.count ? live.resets[number - 1] : .zero
    case .aim(let byte):
      guard byte < live.bytes.count else { return .distantFuture }
      let arrived = live.bytes[byte].arrived
      let last = (live.time(of: .byte(byte)) ?? arrived) + tolerance
      guard let aim = traced.aim(byte) else { return last }
      return seen.first(aim.output, from: arrived, to: last)?.time ?? last
    }
  }
}
