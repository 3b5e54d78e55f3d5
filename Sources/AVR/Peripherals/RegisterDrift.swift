/// How a register's value can change between events without being written.
enum RegisterDrift: Hashable, Sendable {
  /// Not at all.
  case none
  /// It counts: TCNTn.
  case counts
  /// Sets flags whose interrupts are not enabled: TIFRn.
  case setsFlags
}
