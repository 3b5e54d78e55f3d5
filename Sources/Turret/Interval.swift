/// A length of time in whole nanoseconds. It can be negative.
package struct Interval: Hashable, Comparable, Sendable {
  package var nanoseconds: Int64

  @inlinable package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  package static let zero = Interval(nanoseconds: 0)

  @inlinable package static func nanoseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count)
  }
  @inlinable package static func microseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000)
  }
  @inlinable package static func milliseconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000_000)
  }
  @inlinable package static func seconds(_ count: Int64) -> Interval {
    Interval(nanoseconds: count * 1_000_000_000)
  }

  /// The length in seconds, rounded to a `Double`. For pictures and fits, never for comparisons.
  @inlinable package var seconds: Double { Double(nanoseconds) / 1e9 }
  @inlinable package var magnitude: Interval { Interval(nanoseconds: abs(nanoseconds)) }

  @inlinable package static func < (a: Interval, b: Interval) -> Bool {
    a.nanoseconds < b.nanoseconds
  }
  @inlinable package static func + (a: Interval, b: Interval) -> Interval {
    Interval(nanoseconds: a.nanoseconds + b.nanoseconds)
  }
  @inlinable package static func - (a: Interval, b: Interval) -> Interval {
    Interval(nanoseconds: a.nanoseconds - b.nanoseconds)
  }
  @inlinable package static prefix func - (a: Interval) -> Interval {
    Interval(nanoseconds: -a.nanoseconds)
  }
}
