package import Turret

/// The steps of a sweep whose lengths on the two sides differ by a constant time, as in another
/// build of the sketch.
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
