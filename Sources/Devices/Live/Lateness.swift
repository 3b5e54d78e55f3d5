package import Sketches

/// How late wake-ups were: a histogram with sixteen steps an octave. It needs the same memory
/// however long the session is, and a quantile is at most 1/16 too large.
package struct Lateness: Hashable, Sendable {
  private static let steps = 16
  private static let octaves = 60
  private var counts = [Int](repeating: 0, count: steps * octaves)
  package private(set) var count = 0
  package private(set) var worst = Interval.zero

  package init() {}

  package mutating func add(_ late: Interval) {
    let late = max(.zero, late)
    counts[Self.bucket(late)] += 1
    count += 1
    worst = max(worst, late)
  }

  /// Returns the lateness that `percent` per cent of the wake-ups did not exceed; nil before the
  /// first.
  package func percentile(_ percent: Int) -> Interval? {
    guard count > 0 else { return nil }
    let rank = max(1, (count * percent + 99) / 100)
    var seen = 0
    for (bucket, number) in counts.enumerated() {
      seen += number
      if seen >= rank { return min(worst, Self.upperBound(bucket)) }
    }
    return worst
  }

  private static func bucket(_ late: Interval) -> Int {
    let value = UInt64(late.nanoseconds)
    guard value >= UInt64(steps) else { return Int(value) }
    let shift = 64 - value.leadingZeroBitCount - 5
    return min((shift + 1) * steps + Int(value >> UInt64(shift)) - steps, steps * octaves - 1)
  }

  private static func upperBound(_ bucket: Int) -> Interval {
    guard bucket >= steps else { return .nanoseconds(Int64(bucket)) }
    let shift = bucket / steps - 1
    // The last bucket ends one before 2^63.
    return .nanoseconds((Int64(bucket % steps + steps + 1) << Int64(shift)) &- 1)
  }
}

/// How much earlier than its next deadline a process asks to be woken: its average lateness, so
/// that it is not late and does not have to spin for long.
package struct WakeUpLead: Hashable, Sendable {
  /// A machine that is later than this is busy, and waking earlier would only add to its load.
  package static let max = Interval.microseconds(250)
  /// The number of wake-ups to average over.
  private static let memory: Int64 = 16

  package private(set) var interval = Interval.zero

  package init() {}

  package mutating func observe(_ late: Interval) {
    let late = Swift.min(Swift.max(late, .zero), Self.max)
    interval.nanoseconds += (late - interval).nanoseconds / Self.memory
  }
}
