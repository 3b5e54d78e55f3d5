/// Whatever range is asked for, its last number.
struct LastOfRange: RandomNumberGenerator, Sendable {
  mutating func next() -> UInt64 { .max }
}
