/// An output of the chip, or something inside it that the caller asked to observe.
package enum ChipEvent: Hashable, Sendable, Codable {
  /// The level that a pin drives has changed. A pin that stops driving counts as low, and so does
  /// one that a timer switches too fast to be followed.
  case pin(Pin, isHigh: Bool)
  /// A pin that drives high stops driving: it becomes an input. That it counts as low from then on
  /// is the next event, of the same cycle.
  case released(Pin)
  /// The level of a watched wire has changed: what the pin drives, or as an input the level of its
  /// pull-up or of what is applied from outside, and low without either. A change that comes from
  /// outside is not reported.
  case wire(Pin, isHigh: Bool)
  /// USART0 begins to send a byte: this is the start of its start bit. Its frame is nil in 8N1.
  case transmit(UInt8, SentFrame? = nil)
  /// USART0 received a byte while its buffers were full (data overrun), so the byte is lost.
  case overrun(UInt8)
  /// The program read a received byte from UDR0. `readAt` is the byte address of the instruction.
  case received(UInt8, readAt: UInt16)
  /// A receive interrupt read this byte and returned without storing it: there was no room for it,
  /// its parity was wrong, or the interrupt obeyed it at once.
  case dropped(UInt8, hasParityError: Bool)
  /// The program wrote a watched byte of the data space.
  case stored(UInt8, at: UInt16)
  /// The program called a watched function, at this byte address. `registers` are the pairs R19:R18
  /// to R25:R24; `object` are the three bytes at the address in R25:R24, the first one in the low
  /// bits.
  case entered(UInt16, registers: SIMD4<UInt16>, object: UInt32)
  /// The program changed the waveform that a timer generates on a pin.
  case waveform(OutputCompare)
  /// An output of a part, by the order in which the parts were attached.
  case part(UInt8, PartOutput)
  /// The chip restarted, either by itself or by `ATmega328P.reset`.
  case reset(ResetCause)
  /// The program can never continue: with interrupts off, it loops or sleeps at this byte address
  /// until the chip is restarted. The cycle is the first in the loop. Reported at most once after
  /// each restart; a loop of more than 400 instructions is not recognized.
  case stuck(at: UInt16, isAsleep: Bool)
  /// For a tenth of a second the program has executed one instruction between an interrupt and the
  /// next. The last of these was this vector. Reported once after each restart.
  case starved(by: UInt8)
  /// The program addressed a device on the two-wire bus that is not there. Reported once for each
  /// address.
  case unanswered(UInt8)
  /// The program used something that is not emulated. Reported once for each.
  case notice(Notice)
}

/// An event and when it happened, in clock cycles since power-on.
package struct TimedChipEvent: Hashable, Sendable, Codable {
  package var cycle: UInt64
  package var event: ChipEvent

  package init(cycle: UInt64, event: ChipEvent) {
    self.cycle = cycle
    self.event = event
  }
}

/// A feature that the program used but the emulator does not implement.
package struct Notice: Hashable, Sendable, Codable {
  /// Its name in the data sheet, such as `ADCSRA`, or a phrase for a mode.
  package var name: String
  /// The byte address of the instruction in flash.
  package var address: UInt16

  package init(name: String, address: UInt16) {
    self.name = name
    self.address = address
  }
}
