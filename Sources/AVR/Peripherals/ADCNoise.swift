/// Noise of the analog to digital converter: normally distributed, from a seed, so that the same
/// program always reads the same values.
package struct ADCNoise: Hashable, Sendable, Saved {
  /// The valid values of `thousandths`.
  package static let range: ClosedRange<UInt32> = 1...100_000

  /// The root mean square in thousandths of the lowest bit.
  package let thousandths: UInt32
  private var state: UInt64

  package init(thousandths: UInt32, seed: UInt64) {
    self.thousandths = thousandths
    state = seed
  }

  /// Whether the state is valid; one read from a file can be invalid.
  var isPossible: Bool { Self.range.contains(thousandths) }

  /// Returns the noise of the next conversion, in thousandths of the lowest bit.
  mutating func next() -> Int64 {
    // A sum of twelve uniform numbers is nearly normal, and its variance is that of one times 12:
    // 65 536 squared.
    var sum: Int64 = -12 * 65_535 / 2
    for _ in 0..<3 {
      let bits = draw()
      for part in 0..<4 as Range<UInt64> { sum += Int64((bits >> (16 * part)) & 0xFFFF) }
    }
    return sum * Int64(thousandths) / 65_536
  }

  /// SplitMix64 (Steele, Lea and Flood, 2014).
  private mutating func draw() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
