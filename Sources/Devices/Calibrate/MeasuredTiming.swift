import Turret

/// A timing that is measured figure by figure. Fields not measured yet have their built-in values.
struct MeasuredTiming {
  private(set) var timing: Timing
  private let builtIn: Timing
  private var samples: [Timing.Field: Samples] = [:]

  init(_ builtIn: Timing) {
    timing = builtIn
    self.builtIn = builtIn
  }

  subscript(field: Timing.Field) -> Interval { timing[field] }

  /// Sets a field to the mean of its samples, but never below zero.
  mutating func set(_ field: Timing.Field, _ samples: Samples) {
    set(field, samples, to: samples.mean)
  }

  /// Sets a field whose mean is known more precisely than from its samples.
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
