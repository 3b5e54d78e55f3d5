package import Sketches
import Traces

/// Compares the steps of a sweep on both sides. It is given the matching servo events.
///
/// A step is two consecutive events whose angles differ by one degree, in the direction of the
/// previous change: where a sweep reverses, one degree takes the time of two steps. Constant memory
/// is enough, because only the sums and the extremes of the steps are needed.
struct SweepMeter: Sendable {
  /// How long a step can take; it usually takes about 15 ms.
  private static let stepLengths = Interval.milliseconds(5)...Interval.milliseconds(50)
  /// How much the difference between the two sides can vary from step to step. A step on the chip
  /// varies by up to 15 us, because its clock counts every 4 us.
  private static let variation = Interval.microseconds(40)
  private static let leastCount = 8
  private static let leastDifference = Interval.microseconds(1)

  private var last: (expected: Event, found: Event)?
  /// Whether the angle rose to that of `last`; nil if it did not change by one degree.
  private var isRising: Bool?
  private var count = 0
  private var expected = Interval.zero
  private var found = Interval.zero
  /// The smallest and the largest difference of a step.
  private var differences: ClosedRange<Interval>?

  /// Takes the next matching pair.
  mutating func take(_ expected: Event, _ found: Event) {
    defer { last = (expected, found) }
    guard let last, let from = ServoState(last.expected.output)?.degrees,
      let to = ServoState(expected.output)?.degrees, max(from, to) - min(from, to) == 1
    else {
      isRising = nil
      return
    }
    let wasRising = isRising
    isRising = to > from
    guard wasRising == isRising else { return }
    let steps = (expected.time - last.expected.time, found.time - last.found.time)
    guard Self.stepLengths.contains(steps.0), Self.stepLengths.contains(steps.1) else { return }
    count += 1
    self.expected = self.expected + steps.0
    self.found = self.found + steps.1
    let difference = steps.1 - steps.0
    differences =
      differences.map { min($0.lowerBound, difference)...max($0.upperBound, difference) }
      ?? difference...difference
  }

  /// Notes that an event without a partner follows: the next pair is not a step.
  mutating func skip() {
    last = nil
    isRising = nil
  }

  /// The drift; nil if there is none, or if the steps do not differ by a constant time.
  var drift: SweepDrift? {
    guard count >= Self.leastCount, let differences else { return nil }
    let spread = differences.upperBound - differences.lowerBound
    let total = (found - expected).magnitude
    func mean(_ sum: Interval) -> Interval { .nanoseconds(sum.nanoseconds / Int64(count)) }
    let drift = SweepDrift(count: count, expectedStep: mean(expected), foundStep: mean(found))
    // The steps' variation does not add up, but a drift does.
    guard spread <= Self.variation, total.nanoseconds > 3 * spread.nanoseconds,
      drift.perStep.magnitude >= Self.leastDifference
    else { return nil }
    return drift
  }
}

/// A constant difference between the lengths of a sweep's steps, as in another build of the sketch.
package struct SweepDrift: Hashable, Sendable {
  /// The side whose steps are those of the model.
  package enum Side: Hashable, Sendable { case trace, device, neither }

  /// How much a side's steps can differ from the model's on average. On the chip, a step's length
  /// varies by a few microseconds.
  private static let modelVariation = Interval.microseconds(2)

  /// The number of steps compared.
  package var count: Int
  /// The mean step in the trace and on the device.
  package var expectedStep: Interval
  package var foundStep: Interval
  /// The model's step; nil if unknown.
  package var modelStep: Interval?

  package init(
    count: Int, expectedStep: Interval, foundStep: Interval, modelStep: Interval? = nil
  ) {
    self.count = count
    self.expectedStep = expectedStep
    self.foundStep = foundStep
    self.modelStep = modelStep
  }

  /// How much longer a step takes on the device than in the trace.
  package var perStep: Interval { foundStep - expectedStep }

  /// The side that sweeps like the model.
  package var modelSide: Side {
    guard let modelStep else { return .neither }
    let trace = (expectedStep - modelStep).magnitude
    let device = (foundStep - modelStep).magnitude
    guard min(trace, device) <= Self.modelVariation else { return .neither }
    return device < trace ? .device : .trace
  }
}
