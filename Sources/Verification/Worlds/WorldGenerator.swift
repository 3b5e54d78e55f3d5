/// The random numbers of one world: SplitMix64, whose sequence depends only on the seed and on the
/// world's number.
struct WorldGenerator {
  private var state: UInt64

  init(seed: UInt64, world: Int) {
    // Mixed twice, so that the sequences of neighbouring worlds do not overlap.
    state = Self.mix(seed &+ Self.step) ^ Self.mix(UInt64(bitPattern: Int64(world)) &+ 1)
  }

  /// Draws a number. Each number in the range is equally likely, to within one part in 2^64 of the
  /// range's width.
  mutating func draw(_ range: ClosedRange<Int64>) -> Int64 {
    state &+= Self.step
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    guard width < .max else { return Int64(bitPattern: Self.mix(state)) }
    let part = Self.mix(state).multipliedFullWidth(by: width + 1).high
    return range.lowerBound &+ Int64(bitPattern: part)
  }

  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

  private static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
