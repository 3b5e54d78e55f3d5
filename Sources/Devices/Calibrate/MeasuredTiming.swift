import Turret

/// A timing that is measured figure by figure; what has not been measured is the built-in one.
struct MeasuredTiming {
  private(set) var timing: Timing
  private let builtIn: Timing
  private var samples: [Timing.Field: Samples] = [:]

  init(_ builtIn: Timing) {
    timing = builtIn
    self.builtIn = builtIn
  }

  subscript(field: Timing.Field) -> Interval { timing[field] }

  /// A field is the mean of its samples, but never negative.
  mutating func set(_ field: Timing.Field, _ samples: Samples) {
    set(field, samples, to: samples.mean)
  }

  /// A field whose samples lie around it, but whose mean is known better.
  mutating func set(
    _ field: Timing.Field, _ samples: Samples, to value: Interval
  ) {
    timing[field] = max(.zero, value)
    self.samples[field] = samples
  }

  var figures: [Figure] {
    Timing.Field.allCases.map { field in
      Figure(
        name: field.rawValue, value: timing[field], builtIn: builtIn[field],
        samples: samples[field])
    }
  }
}
