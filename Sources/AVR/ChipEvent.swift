/// Something that can be seen from outside the chip, or that its user asked to see.
package enum ChipEvent: Hashable, Sendable {
  /// The level that a pin drives changed; a pin that stops driving is low.
  case pin(Pin, isHigh: Bool)
  /// USART0 sends a byte; the start bit begins.
  case transmit(UInt8)
  /// A byte that USART0 received found its buffers full (data overrun) and is lost.
  case overrun(UInt8)
  /// The program read a received byte from UDR0; `address` is the reading instruction's, in bytes.
  case received(UInt8, readAt: UInt16)
  /// A receive interrupt that had read this byte ended without keeping it anywhere.
  case dropped(UInt8)
  /// The program wrote a watched byte of the data space.
  case stored(UInt8, at: UInt16)
  /// A timer has new settings for the waveform on a pin.
  case waveform(OutputCompare)
  /// The chip restarted by itself, or was restarted.
  case reset(ResetCause)
  /// The program waits for nothing, with interrupts off: it goes round a loop, or sleeps, at this
  /// byte address until something restarts the chip. Said once after each restart, if it is found
  /// out.
  case stuck(at: UInt16, isAsleep: Bool)
  /// The program touched something that is not emulated; said once for each.
  case notice(Notice)
}

/// An event and when it happened, in clock cycles since power-on.
package struct TimedChipEvent: Hashable, Sendable {
  package var cycle: UInt64
  package var event: ChipEvent

  package init(cycle: UInt64, event: ChipEvent) {
    self.cycle = cycle
    self.event = event
  }
}
