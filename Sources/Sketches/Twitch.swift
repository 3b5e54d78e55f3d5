/// A pulse on a servo's pin that was not as long as the sketch had stored for it.
package struct Twitch: Hashable, Sendable {
  /// By how much a pulse must differ, in microseconds. A servo library's own jitter is less:
  /// interrupts of the core delay its edges by up to 8 us.
  package static let bound = 20

  package var pin: BoardPin
  /// In microseconds.
  package var stored: UInt16
  /// In microseconds.
  package var measured: UInt32
  /// What the processor did instead, as a sentence without its full stop; nil if it is not known.
  package var why: String?

  package init(on pin: BoardPin, stored: UInt16, measured: UInt32, why: String? = nil) {
    self.pin = pin
    self.stored = stored
    self.measured = measured
    self.why = why
  }

  /// By how much the pulse was longer than stored, in microseconds; negative if it was shorter.
  package var difference: Int { Int(clamping: measured) - Int(stored) }
}

/// A twitch, and when its pulse ended, in whole microseconds.
package struct TimedTwitch: Hashable, Sendable {
  package var time: Instant
  package var twitch: Twitch
}
