import Traces
import Turret

/// Ends a device's sweeps as a trace shows them, where a computer's stamps cannot decide.
///
/// A byte ends a sweep at the sketch's next step. On a computer's clock the byte can lie on the
/// other side of that step, so that the recorded sweep has one step more or one fewer.
struct SweepEnds {
  /// How far an output of the last step can lie past the scan's end as the model has it.
  private static let slack = Interval.milliseconds(2)

  private let causes: Causes
  private let timing: Timing
  private let range: ClosedRange<UInt8>

  /// Finds the sweeps that a trace's inputs lead to in the model.
  init(_ inputs: some Sequence<Event>, _ setup: SessionSetup, until end: Instant) {
    var course = Course(
      setup.firmware, timing: setup.timing, baud: setup.baud, start: setup.start)
    for input in inputs { course.take(input) }
    course.advance(to: end)
    causes = Causes(course)
    timing = course.timing
    range = course.sketch.scan
  }

  /// Returns the device's outputs with a step added to a sweep, or its last step removed, where the
  /// trace has one more or one fewer. A sweep after that continues from the trace's angle.
  func adjusted(_ found: [Event], to expected: [Expectation]) -> [Event] {
    let wanted = expected.compactMap { ServoState($0.event.output) }
    let given = found.filter { ServoState($0.output) != nil }
    var servo: [Event] = []
    var next = 0
    /// Appends outputs while they are the trace's.
    func append(_ events: some Sequence<Event>) { servo += events }
    for scan in causes.scans {
      let end = scan.end.map { $0 + Self.slack } ?? .distantFuture
      let before = given[next...].prefix { $0.time <= scan.begin }
      append(before)
      next += before.count
      let own = Array(given[next...].prefix { $0.time <= end })
      next += own.count
      append(ended(own, scan, after: servo.count, wanted, own: given[..<next], servo))
    }
    append(given[next...])
    return Self.merged(found.filter { ServoState($0.output) == nil }, servo)
  }

  /// Returns a sweep's outputs as the trace ends them. `own` are the device's up to its end, and
  /// `servo` those before the sweep as adjusted.
  private func ended(
    _ steps: [Event], _ scan: Scan, after index: Int, _ wanted: [ServoState],
    own: ArraySlice<Event>, _ servo: [Event]
  ) -> [Event] {
    guard scan.end != nil, let from = servo.last.flatMap({ ServoState($0.output) }) else {
      return steps
    }
    var steps = steps
    let deviceFrom = own.dropLast(steps.count).last.flatMap { ServoState($0.output) }
    let plan = SweepPlan(timing, in: range, from: from, begin: scan.begin)
      .prefix(steps.count + 1).map { Event($0.time.roundedUpToMicrosecond, $0.state.output) }
    if from != deviceFrom {
      steps = Array(plan.prefix(steps.count))
    }
    guard plan.count == steps.count + 1,
      zip(plan, steps).allSatisfy({ $0.output == $1.output })
    else { return steps }
    let traced = wanted.dropFirst(index)
    let same = zip(traced, steps).prefix { $0 == ServoState($1.output) }.count
    if same == steps.count, traced.dropFirst(same).first == ServoState(plan[same].output) {
      return Array(steps + plan.suffix(1))
    }
    if same == steps.count - 1 { return Array(steps.dropLast()) }
    return steps
  }

  private static func merged(_ others: [Event], _ servo: [Event]) -> [Event] {
    var merged: [Event] = []
    var next = 0
    for event in servo {
      while next < others.count, others[next].time <= event.time {
        merged.append(others[next])
        next += 1
      }
      merged.append(event)
    }
    return merged + others[next...]
  }
}
