/// Receives a board's events.
///
/// The sketch takes bytes in the order they arrived, so `took` refers to the oldest byte that has
/// arrived and has been neither lost nor taken.
package protocol Observer {
  /// Records that something happened at the board's pins.
  mutating func put(_ output: Output, at instant: Instant)
  /// Records that a byte arrived: its stop bit ended. If it is lost, `put(.lost)` follows at once.
  mutating func arrived(_ byte: UInt8, at instant: Instant)
  /// Records that the sketch took the oldest waiting byte.
  mutating func took(_ fate: Fate, at instant: Instant, endedScan: Bool)
  /// Records that the digits of the last number were abandoned.
  mutating func abandonedNumber()
  /// Records that the board restarted, which discards the waiting bytes.
  mutating func clearedRing()
}
