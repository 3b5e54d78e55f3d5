package import Sketches

/// How well a turret followed a face. For one that pans and tilts, an error is that of the axis in
/// which it is greater at the time, steps are those of both, and every other figure is that of the
/// worse axis; `axes` has the figures of each.
package struct TrackingFigures: Hashable, Sendable {
  package enum Axis: String, Hashable, Sendable {
    case pan, tilt
  }

  /// How far the shaft is from the face, or was from where that stood.
  package struct Error: Hashable, Sendable {
    package var time: Instant
    package var degrees: Double
  }

  /// The distances every 5 ms while the face could be seen: how often each of them, in steps of
  /// 0.0001 degrees, so that a session of any length takes as much memory.
  package struct Errors: Hashable, Sendable {
    package private(set) var count = 0
    package private(set) var first: Error?
    private(set) var worst: Error?
    private(set) var sum = 0.0
    /// The number of errors of at most so many steps, and more than one step less.
    private var numbers: [UInt32] = []

    private static let stepsPerDegree = 10_000.0
    private static let degreesMax = 400.0

    mutating func take(_ error: Error) {
      count += 1
      first = first ?? error
      if worst.map({ error.degrees > $0.degrees }) ?? true { worst = error }
      sum += error.degrees
      let step = Int((min(error.degrees, Self.degreesMax) * Self.stepsPerDegree).rounded(.up))
      if step >= numbers.count {
        numbers += repeatElement(0, count: step + 1 - numbers.count)
      }
      numbers[step] += 1
    }

    func count(within degrees: Double) -> Int {
      // A limit such as 0.3 is not exact.
      let steps = Int((min(degrees, Self.degreesMax) * Self.stepsPerDegree + 1e-6).rounded(.down))
      return numbers.prefix(steps + 1).reduce(0) { $0 + Int($1) }
    }

    func percentile(_ percent: Int) -> Double? {
      guard let worst else { return nil }
      var rest = min(count - 1, count / 100 * percent + count % 100 * percent / 100)
      for (step, number) in numbers.enumerated() {
        guard rest >= number else {
          // The middle of the step, so that it is rounded as the error itself would be.
          let middle = max(0, Double(step) - 0.5) / Self.stepsPerDegree
          return step == numbers.count - 1 ? worst.degrees : middle
        }
        rest -= Int(number)
      }
      return worst.degrees
    }
  }

  /// What the shaft did after the face had jumped.
  package struct Step: Hashable, Sendable {
    package var time: Instant
    package var from: Double
    package var to: Double
    /// Nil on a turret with one axis. So it is below.
    package internal(set) var axis: Axis?
    /// How far the shaft went beyond the face, in degrees.
    package var overshoot = 0.0
    /// How far the shaft was from the face, every 5 ms: each that was not reached again later.
    private var ways: [Error] = []

    init(time: Instant, from: Double, to: Double) {
      self.time = time
      self.from = from
      self.to = to
    }

    mutating func take(_ way: Error, beyond: Double) {
      overshoot = max(overshoot, beyond)
      while let last = ways.last, last.degrees <= way.degrees { ways.removeLast() }
      ways.append(way)
    }

    /// Returns how long it took until the shaft stayed that near to the face; nil if it did not
    /// before the face left.
    package func settling(within degrees: Double) -> Interval? {
      guard let last = ways.last, last.degrees <= degrees else { return nil }
      guard let out = ways.lastIndex(where: { $0.degrees > degrees }) else { return .zero }
      return ways[out].time + TrackingAxis.stride - time
    }
  }

  /// The shaft's movement while the face stood.
  package struct Swing: Hashable, Sendable {
    package var begin: Instant
    package var end: Instant
    /// From the least angle to the greatest.
    package var degrees: Double
    /// How often it went there and back, a second.
    package var hertz: Double
    package internal(set) var axis: Axis?
  }

  /// The first time that a camera on the turret could not see a face that stood, for half a second
  /// or longer.
  package struct Loss: Hashable, Sendable {
    package var begin: Instant
    /// Where the face stood.
    package var degrees: Double
    package internal(set) var axis: Axis?
  }

  /// The figures of each axis; empty on a turret with one.
  package internal(set) var axes: [TrackingFigures] = []
  package internal(set) var commands = 0
  package internal(set) var length = Interval.zero
  package internal(set) var errors = Errors()
  package internal(set) var steps: [Step] = []
  /// Nil if the face never stood long enough.
  package internal(set) var swing: Swing?
  package internal(set) var loss: Loss?
  /// How far the shaft turned in all, in degrees.
  package internal(set) var travel = 0.0
  /// How often it turned back.
  package internal(set) var reversals = 0

  /// In degrees; nil if the face was never seen. So are the next three.
  package var meanError: Double? { errors.count == 0 ? nil : errors.sum / Double(errors.count) }
  /// The error that was not exceeded for 95 % of the time, to 0.0001 degrees.
  package var error95: Double? { errors.percentile(95) }
  package var worst: Error? { errors.worst }
  /// Returns for which share of the time the shaft was that near to the face, 0...1. The distance
  /// counts in steps of 0.0001 degrees.
  package func share(within degrees: Double) -> Double? {
    errors.count == 0 ? nil : Double(errors.count(within: degrees)) / Double(errors.count)
  }

  /// The same in whole thousandths, rounded down: a share that breaks a rule by little is not shown
  /// as what the rule requires. Whatever is printed is this figure.
  package func thousandths(within degrees: Double) -> Int? {
    guard errors.count > 0 else { return nil }
    return Int(Int64(errors.count(within: degrees)) * 1_000 / Int64(errors.count))
  }

  /// The greatest overshoot of all steps, and the longest settling; nil without a step.
  package var overshoot: Double? { steps.map { $0.overshoot }.max() }
  /// Nil without a step. `.some(nil)`: the shaft did not settle after one of them.
  package func settling(within degrees: Double) -> Interval?? {
    guard !steps.isEmpty else { return nil }
    let all = steps.map { $0.settling(within: degrees) }
    return .some(all.contains(nil) ? nil : all.compactMap { $0 }.max())
  }

  package var commandsPerSecond: Double { Double(commands) / length.seconds }
  package var travelPerMinute: Double { travel / length.seconds * 60 }
  package var reversalsPerMinute: Double { Double(reversals) / length.seconds * 60 }
}

extension TrackingFigures {
  /// Combines the figures of the two axes. `errors` are the greater of both at each time.
  init(pan: TrackingFigures, tilt: TrackingFigures, errors: Errors) {
    axes = [pan.named(.pan), tilt.named(.tilt)]
    self.errors = errors
    (commands, length) = (pan.commands, pan.length)
    steps = (axes[0].steps + axes[1].steps).sorted { $0.time < $1.time }
    swing = Self.greater(axes[0].swing, axes[1].swing) { $0.degrees > $1.degrees }
    loss = Self.greater(axes[0].loss, axes[1].loss) { $0.begin < $1.begin }
    travel = max(pan.travel, tilt.travel)
    reversals = max(pan.reversals, tilt.reversals)
  }

  private func named(_ axis: Axis) -> TrackingFigures {
    var figures = self
    for index in figures.steps.indices { figures.steps[index].axis = axis }
    figures.swing?.axis = axis
    figures.loss?.axis = axis
    return figures
  }

  private static func greater<Value>(
    _ a: Value?, _ b: Value?, _ isGreater: (Value, Value) -> Bool
  ) -> Value? {
    guard let a, let b else { return a ?? b }
    return isGreater(b, a) ? b : a
  }
}
