package import Turret

/// A histogram of durations with fixed bounds, as Prometheus requires.
package struct DelayHistogram: Hashable, Sendable {
  /// The upper bounds, inclusive, in microseconds. Longer durations are counted after the last one.
  /// The delay should stay below about two commands' time on the wire, 8 ms.
  package static let boundsMicroseconds: [Int64] = [
    25, 50, 75, 100, 150, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000,
  ]

  private var counts = [Int](repeating: 0, count: boundsMicroseconds.count + 1)
  package private(set) var count = 0
  package private(set) var sum = Interval.zero

  package init() {}

  package mutating func add(_ delay: Interval) {
    let delay = max(.zero, delay)
    let step = Self.boundsMicroseconds.firstIndex { delay <= .microseconds($0) }
    counts[step ?? Self.boundsMicroseconds.count] += 1
    count += 1
    sum = sum + delay
  }

  /// How many durations were at most as long as each bound.
  package var cumulative: [(bound: Interval, count: Int)] {
    var total = 0
    return zip(Self.boundsMicroseconds, counts).map { bound, count in
      total += count
      return (.microseconds(bound), total)
    }
  }
}
