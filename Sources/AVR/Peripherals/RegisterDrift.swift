/// How a register's value can change between the chip's events, while nobody writes anything.
enum RegisterDrift: Hashable, Sendable {
  /// Not at all.
  case none
  /// It counts: TCNTn.
  case counts
  /// Flags are set that nobody has asked to be told of: TIFRn.
  case setsFlags
}
