package import Turret

/// Repeated measurements of one length of time.
package struct Samples: Hashable, Sendable {
  private var values: [Interval] = []

  package init() {}

  package init(_ values: [Interval]) { self.values = values }

  package mutating func add(_ value: Interval) { values.append(value) }

  package var count: Int { values.count }

  /// The mean, rounded to whole nanoseconds; zero without samples.
  package var mean: Interval {
    guard !values.isEmpty else { return .zero }
    let sum = values.reduce(Int64(0)) { $0 + $1.nanoseconds }
    return .nanoseconds(Int64((Double(sum) / Double(values.count)).rounded()))
  }

  /// The difference between the longest and the shortest.
  package var spread: Interval {
    guard let least = values.min(), let most = values.max() else { return .zero }
    return most - least
  }
}
