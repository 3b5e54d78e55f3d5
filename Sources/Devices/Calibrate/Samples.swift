package import Turret

/// Lengths of time that ought to be one: what came of measuring it again and again.
package struct Samples: Hashable, Sendable {
  private var values: [Interval] = []

  package init() {}

  package init(_ values: [Interval]) { self.values = values }

  package mutating func add(_ value: Interval) { values.append(value) }

  package var count: Int { values.count }

  /// Rounded to whole nanoseconds; zero without samples.
  package var mean: Interval {
    guard !values.isEmpty else { return .zero }
    let sum = values.reduce(Int64(0)) { $0 + $1.nanoseconds }
    return .nanoseconds(Int64((Double(sum) / Double(values.count)).rounded()))
  }

  /// From the shortest to the longest.
  package var spread: Interval {
    guard let least = values.min(), let most = values.max() else { return .zero }
    return most - least
  }
}
