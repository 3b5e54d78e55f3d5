/// How a register's value can change between the chip's events, without a write.
enum RegisterDrift: Hashable, Sendable {
  /// Not at all.
  case none
  /// It counts: TCNTn.
  case counts
  /// Flags are set whose interrupts are not enabled: TIFRn.
  case setsFlags
}
