import Turret

/// A timing that is measured figure by figure; what has not been measured is the built-in one.
struct MeasuredTiming {
  private(set) var timing: Timing
  private let builtIn: Timing
  private var samples: [WritableKeyPath<Timing, Interval>: Samples] = [:]

  init(_ builtIn: Timing) {
    timing = builtIn
    self.builtIn = builtIn
  }

  subscript(field: WritableKeyPath<Timing, Interval>) -> Interval { timing[keyPath: field] }

  /// A field is the mean of its samples, but never negative.
  mutating func set(_ field: WritableKeyPath<Timing, Interval>, _ samples: Samples) {
    set(field, samples, to: samples.mean)
  }

  /// A field whose samples lie around it, but whose mean is known better.
  mutating func set(
    _ field: WritableKeyPath<Timing, Interval>, _ samples: Samples, to value: Interval
  ) {
    timing[keyPath: field] = max(.zero, value)
    self.samples[field] = samples
  }

  var figures: [Figure] {
    Timing.fields.map { name, path in
      Figure(
        name: name, value: timing[keyPath: path], builtIn: builtIn[keyPath: path],
        samples: samples[path])
    }
  }
}
