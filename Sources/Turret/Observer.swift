/// Where a board's events go.
///
/// Bytes reach the sketch in the order they arrived and are taken in that order, so `took` speaks
/// of the oldest byte that has arrived and has been neither lost nor taken.
package protocol Observer {
  /// Something happened at the board's pins.
  mutating func put(_ output: Output, at instant: Instant)
  /// A byte arrived: its stop bit ended. If it is lost, `put(.lost)` follows at once.
  mutating func arrived(_ byte: UInt8, at instant: Instant)
  /// The sketch took the oldest waiting byte.
  mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool)
  /// The digits of the number last begun came to nothing.
  mutating func abandonedNumber()
  /// The board restarted: what was waiting is gone.
  mutating func clearedRing()
}
