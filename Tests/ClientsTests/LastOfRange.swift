/// Yields the last number of any range.
struct LastOfRange: RandomNumberGenerator, Sendable {
  mutating func next() -> UInt64 { .max }
}
