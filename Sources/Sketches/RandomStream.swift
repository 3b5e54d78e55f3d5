/// Random numbers that depend only on a seed and on the number of their stream: SplitMix64. What is
/// drawn from one stream does not change what another gives.
package struct RandomStream: Hashable, Sendable {
  private var state: UInt64

  package init(seed: UInt64, stream: UInt64) {
    // Mixed twice, so that the sequences of neighbouring streams do not overlap.
    state = Self.mix(seed &+ Self.step) ^ Self.mix(stream &+ 1)
  }

  package mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mix(state)
  }

  /// Draws a number. Each number in the range is equally likely, to within one part in 2^64 of the
  /// range's width.
  package mutating func draw(_ range: ClosedRange<Int64>) -> Int64 {
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    guard width < .max else { return Int64(bitPattern: next()) }
    let part = next().multipliedFullWidth(by: width + 1).high
    return range.lowerBound &+ Int64(bitPattern: part)
  }

  /// Draws a number from 0 up to, and not including, 1.
  package mutating func fraction() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

  package mutating func happens(with chance: Double) -> Bool { fraction() < chance }

  /// Draws from a distribution with mean 0 and standard deviation 1 that is near the normal one:
  /// the sum of twelve fractions, less 6. It never exceeds 6.
  package mutating func bell() -> Double {
    var sum = -6.0
    for _ in 0..<12 { sum += fraction() }
    return sum
  }

  /// Draws a length of time from an exponential distribution with this mean, in whole nanoseconds.
  ///
  /// J. von Neumann, "Various techniques used in connection with random digits" (1951): the length
  /// of a descending run of fractions decides, so no logarithm is needed.
  package mutating func wait(mean: Interval) -> Interval {
    var whole = 0.0
    while true {
      let first = fraction()
      var (last, length) = (first, 1)
      while true {
        let next = fraction()
        if next >= last { break }
        last = next
        length += 1
      }
      if length % 2 == 1 {
        return .nanoseconds(Int64(min(1e18, (whole + first) * Double(mean.nanoseconds))) + 1)
      }
      whole += 1
    }
  }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
