import Sketches
import Traces

/// Ends a device's sweeps as a trace shows them, if a computer's stamps cannot decide.
///
/// A byte ends a sweep at the sketch's next step. On a computer's clock the byte can lie on the
/// other side of that step, so that the recorded sweep has one step more or one fewer.
struct SweepEnds {
  /// How long after the model's end of the scan an output of the last step can occur.
  private static let slack = Interval.milliseconds(2)

  private let causes: Causes
  private let timing: Timing
  private let range: ClosedRange<UInt8>
  /// How much longer the time between two steps of one sweep can be in the trace.
  private let lateMax: Interval

  /// Finds the sweeps that a trace's inputs cause in the model.
  init(
    _ inputs: some Sequence<Event>, _ setup: SessionSetup, until end: Instant, tolerance: Interval
  ) {
    var course = Course(setup)
    for input in inputs { course.take(input) }
    course.advance(to: end)
    causes = Causes(course)
    timing = course.timing
    range = course.sketch.scan
    lateMax = tolerance + tolerance
  }

  /// Returns the device's outputs with a step added to a sweep, or its last step removed, if the
  /// trace has one more or one fewer. A sweep after that continues from the trace's angle.
  func adjusted(_ found: [Event], to expected: [Expectation]) -> [Event] {
    let wanted = expected.map { $0.event }.filter { ServoState($0.output) != nil }
    let given = found.filter { ServoState($0.output) != nil }
    var servo: [Event] = []
    var next = 0
    for scan in causes.scans {
      let end = scan.end.map { $0 + Self.slack } ?? .distantFuture
      let before = given[next...].prefix { $0.time <= scan.begin }
      servo += before
      next += before.count
      let own = Array(given[next...].prefix { $0.time <= end })
      next += own.count
      servo += ended(own, scan, wanted, own: given[..<next], servo)
    }
    servo += given[next...]
    // The servo's events keep their order, even if an added step is later than the aim after it.
    var merged: [Event] = []
    var others = found.filter { ServoState($0.output) == nil }[...]
    for event in servo {
      let earlier = others.prefix { $0.time <= event.time }
      merged += earlier
      merged.append(event)
      others = others.dropFirst(earlier.count)
    }
    return merged + others
  }

  /// Returns a sweep's outputs, ended as in the trace. `own` are the device's outputs up to the end
  /// of the sweep, and `servo` the adjusted ones before it.
  private func ended(
    _ steps: [Event], _ scan: Scan, _ wanted: [Event], own: ArraySlice<Event>, _ servo: [Event]
  ) -> [Event] {
    guard scan.end != nil, let from = servo.last.flatMap({ ServoState($0.output) }) else {
      return steps
    }
    let deviceFrom = own.dropLast(steps.count).last.flatMap { ServoState($0.output) }
    func plan(from state: ServoState, count: Int) -> [Event] {
      SweepPlan(timing, in: range, from: state, begin: scan.begin)
        .prefix(count).map { Event($0.time.roundedUpToMicrosecond, $0.state.output) }
    }
    // The command that ended the sweep can have moved the servo within the slack.
    let swept = zip(plan(from: deviceFrom ?? from, count: steps.count), steps)
      .prefix { $0.output == $1.output }.count
    let rest = steps[swept...]
    let plan = plan(from: from, count: swept + 1)
    guard plan.count == swept + 1 else { return steps }
    let steps = from == deviceFrom ? Array(steps[..<swept]) : Array(plan.prefix(swept))
    // Counts the planned steps that the trace has, each about as long after the previous one. A
    // sweep without a step has only a beginning, which is late on a clock that is not fitted yet.
    var same = 0
    var last = steps.isEmpty ? (traced: scan.begin + .milliseconds(50), step: scan.begin) : nil
    for (traced, step) in zip(wanted.dropFirst(servo.count), plan) {
      guard traced.output == step.output,
        last.map({ traced.time - $0.traced <= step.time - $0.step + lateMax }) ?? true
      else { break }
      same += 1
      last = (traced.time, step.time)
    }
    if same == steps.count + 1 { return steps + plan.suffix(1) + rest }
    if same == steps.count - 1 { return steps.dropLast() + rest }
    return steps + rest
  }
}
