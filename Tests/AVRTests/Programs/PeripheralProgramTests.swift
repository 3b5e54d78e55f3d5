import Testing

@testable import AVR

/// The other peripherals, according to the data sheet. A write takes effect when the next
/// instruction begins, at E. After n NOPs, IN reads at E + n, and LDS at E + n + 1.
@Suite("Programs for the other peripherals")
struct PeripheralProgramTests {
  /// A frame is over after `cycles`: TXC is read at E + cycles - 1 and E + cycles + 1.
  private static func frame(
    _ name: String, a: UInt8 = 2, c: UInt8 = 6, rate: Int = 0, cycles: Int
  ) -> SmallProgram {
    SmallProgram(
      "\(name): \(cycles) cycles",
      "UCSR0A=\(a); UCSR0C=\(c); UBRR0L=\(rate); UCSR0B=8; r17=0x41; sts UDR0, r17; "
        + "nop*\(cycles - 2); lds r20, UCSR0A; lds r21, UCSR0A", 0x20 | a, 0x60 | a)
  }

  /// Bits of 8 (UBRR + 1) cycles with U2X, else of 16 (UBRR + 1).
  static let frames = [
    frame("8N1", cycles: 80), frame("8N2", c: 0x0E, cycles: 88), frame("8E1", c: 0x26, cycles: 88),
    frame("8O2", c: 0x3E, cycles: 96), frame("7N1", c: 0x04, cycles: 72),
    frame("6N1", c: 0x02, cycles: 64), frame("5N1", c: 0x00, cycles: 56),
    frame("without U2X", a: 0, cycles: 160), frame("UBRR 1", rate: 1, cycles: 160),
    frame("UBRR 16, 115 200 baud", rate: 16, cycles: 1_360),
  ]

  static let serial = [
    SmallProgram("after a reset", "r20=UCSR0A; r21=UCSR0B; r22=UCSR0C", 0x20, 0, 6),
    SmallProgram(
      "two bytes: the second waits, and UDRE is 0",
      "UCSR0B=8; r17=1; sts UDR0, r17; r20=UCSR0A; sts UDR0, r17; r21=UCSR0A", 0x20, 0),
    SmallProgram("nothing is sent while TXEN is 0", "UDR0=1; nop*200; r20=UCSR0A", 0x20),
    SmallProgram(
      "TXC is cleared by writing 1",
      "UCSR0A=2; UCSR0B=8; UDR0=1; nop*90; r20=UCSR0A; UCSR0A=0x42; r21=UCSR0A", 0x62, 0x22),
    SmallProgram(
      "TX complete interrupts once",
      """
      rjmp main
      .org 40; inc r20; reti
      .org 60; main:; r20=0; UCSR0A=2; UCSR0B=0x48; UDR0=1; sei; nop*200; cli; r21=UCSR0A
      """, 1, 0x22),
    SmallProgram(
      "UDRE interrupts until the buffer is full",
      """
      rjmp main
      .org 38; inc r20; sts UDR0, r20; reti
      .org 60; main:; r20=0; UCSR0B=0x28; sei; nop*100; cli
      """, 2),
    SmallProgram("UDR0 reads 0 without a byte", "UCSR0B=0x10; r20=UDR0; r21=UCSR0A", 0, 0x20),
  ]

  @Test(arguments: frames + serial)
  func `USART0 sends as its registers say`(_ program: SmallProgram) throws {
    try program.check()
  }

  private static let write = "sbi EECR, 2; sbi EECR, 1; "
  private static let done = "done:; sbic EECR, 1; rjmp done; "
  private static let again = "again:; sbic EECR, 1; rjmp again; "

  static let memory = [
    SmallProgram("an erased byte", "EEARL=5; sbi EECR, 0; in r20, EEDR", 0xFF),
    SmallProgram(
      "erase and write", "EEARL=5; EEDR=0x42; \(write) \(done) EEDR=0; sbi EECR, 0; in r20, EEDR",
      0x42),
    SmallProgram(
      "the last address",
      "EEARH=3; EEARL=0xFF; EEDR=7; \(write) \(done) EEDR=0; sbi EECR, 0; in r20, EEDR", 7),
    SmallProgram(
      "erase only", "EEDR=0x42; EECR=0x10; \(write) \(done) sbi EECR, 0; in r20, EEDR", 0xFF),
    SmallProgram(
      "write only clears bits",
      "EECR=0x20; EEDR=0x0F; \(write) \(done) EEDR=0xF3; \(write) \(again) sbi EECR, 0; "
        + "in r20, EEDR", 0x03),
    SmallProgram(
      "EEMPE is set for four cycles and cleared in the fifth",
      "sbi EECR, 2; nop*4; in r20, EECR; in r21, EECR", 4, 0),
    SmallProgram(
      "EEPE within four cycles", "sbi EECR, 2; nop*2; sbi EECR, 1; in r20, EECR", 2),
    SmallProgram("EEPE too late", "sbi EECR, 2; nop*3; sbi EECR, 1; in r20, EECR", 0),
    SmallProgram("EEPE alone", "sbi EECR, 1; in r20, EECR", 0),
    SmallProgram(
      "a read halts the CPU for four cycles",
      "r17=1; out TCCR0B, r17; sbi EECR, 0; in r20, TCNT0", 6),
    SmallProgram(
      "a write halts it for two", "r17=1; out TCCR0B, r17; \(write) in r20, TCNT0", 6),
    SmallProgram(
      "the address cannot change while EEPE is set",
      "EEARL=5; \(write) EEARL=6; in r20, EEARL", 5),
    SmallProgram(
      "EERIE interrupts while EEPE is 0",
      """
      rjmp main
      .org 44; inc r20; EECR=0; reti
      .org 60; main:; r20=0; EECR=8; sei; nop*20; cli
      """, 1),
  ]

  @Test(arguments: memory)
  func `The EEPROM is written and read as its registers say`(_ program: SmallProgram) throws {
    try program.check()
  }

  private static let change = "r17=0x18; sts WDTCSR, r17; "

  static let watchdog = [
    SmallProgram(
      "the timed sequence sets the prescaler",
      "\(change) r18=0x47; sts WDTCSR, r18; r20=WDTCSR; wdr", 0x47),
    SmallProgram("without it, the prescaler is kept", "WDTCSR=0x47; r20=WDTCSR", 0x40),
    SmallProgram(
      "four cycles are enough", "\(change) r18=0x41; nop; sts WDTCSR, r18; r20=WDTCSR", 0x41),
    SmallProgram(
      "five are too many", "\(change) r18=0x41; nop*2; sts WDTCSR, r18; r20=WDTCSR", 0x48),
    SmallProgram(
      "it interrupts after 16 ms, 256 000 cycles",
      """
      rjmp main
      .org 12; inc r20; reti
      .org 60; main:; r20=0; WDTCSR=0x40; sei; wait:; cpi r20, 1; brne wait; r21=TIFR0
      """, 1, 0),
    SmallProgram(
      "its reset sets WDRF, which keeps WDE set",
      """
      r20=MCUSR; r21=WDTCSR; sbrc r20, 3; rjmp end
      WDTCSR=0x08; wait:; rjmp wait
      """, 0x09, 0x08),
    SmallProgram(
      "WDE can be cleared after WDRF",
      """
      r20=MCUSR; sbrs r20, 3; rjmp arm
      MCUSR=0; \(change) r18=0; sts WDTCSR, r18; r21=WDTCSR; rjmp end
      arm:; WDTCSR=0x08; wait:; rjmp wait
      """, 0x09, 0),
  ]

  @Test(arguments: watchdog)
  func `The watchdog changes only by its timed sequence`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// A pin that the program drives itself also triggers (data sheet, "External Interrupts": the
  /// interrupts trigger even if the pins are outputs).
  static let pins = [
    SmallProgram(
      "INT0, rising",
      "sbi DDRD, 2; EICRA=3; sbi PORTD, 2; in r20, EIFR; cbi PORTD, 2; in r21, EIFR",
      1, 1),
    SmallProgram(
      "INT0, falling",
      "sbi DDRD, 2; EICRA=2; sbi PORTD, 2; in r20, EIFR; cbi PORTD, 2; in r21, EIFR", 0, 1),
    SmallProgram(
      "INT0, any edge, cleared by writing 1",
      "sbi DDRD, 2; EICRA=1; sbi PORTD, 2; in r20, EIFR; EIFR=1; in r21, EIFR; cbi PORTD, 2; "
        + "in r22, EIFR", 1, 0, 1),
    SmallProgram("INT1, rising", "sbi DDRD, 3; EICRA=0x0C; sbi PORTD, 3; in r20, EIFR", 2),
    SmallProgram(
      "INT1's pin does not trigger INT0", "sbi DDRD, 3; EICRA=3; sbi PORTD, 3; in r20, EIFR", 0),
    SmallProgram(
      "PCINT0", "sbi DDRB, 0; PCMSK0=1; sbi PORTB, 0; in r20, PCIFR", 1),
    SmallProgram("PCINT8", "sbi DDRC, 0; PCMSK1=1; sbi PORTC, 0; in r20, PCIFR", 2),
    SmallProgram("PCINT23", "sbi DDRD, 7; PCMSK2=0x80; sbi PORTD, 7; in r20, PCIFR", 4),
    SmallProgram(
      "a pin that PCMSK leaves out", "sbi DDRD, 6; PCMSK2=0x80; sbi PORTD, 6; in r20, PCIFR", 0),
    SmallProgram(
      "a pull-up is a change, too", "PCMSK2=0x80; sbi PORTD, 7; in r20, PCIFR", 4),
    SmallProgram(
      "INT0 is taken at word 2",
      """
      rjmp main
      .org 2; inc r20; reti
      .org 60; main:; r20=0; sbi DDRD, 2; EICRA=3; EIMSK=1; sei; sbi PORTD, 2; nop*9; in r21, EIFR
      """, 1, 0),
    SmallProgram(
      "a low level interrupts as long as it lasts",
      """
      rjmp main
      .org 2; inc r20; sbrc r20, 1; sbi PORTD, 2; reti
      .org 60; main:; r20=0; sbi DDRD, 2; EIMSK=1; sei; nop*30; cli
      """, 2),
    SmallProgram(
      "PCINT0 is taken at word 6",
      """
      rjmp main
      .org 6; inc r20; reti
      .org 60; main:; r20=0; sbi DDRB, 0; PCMSK0=1; PCICR=1; sei; sbi PORTB, 0; nop*9; in r21, PCIFR
      """, 1, 0),
  ]

  @Test(arguments: pins)
  func `Pins interrupt as their registers say`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// A conversion begins with the write and is over after `cycles`. ADSC and ADIF are read at
  /// E + cycles - 1 and E + cycles + 1.
  private static func conversion(_ select: UInt8, cycles: Int) -> SmallProgram {
    SmallProgram(
      "ADPS \(select): the first conversion takes \(cycles) cycles",
      "ADCSRA=\(0xC0 | select); nop*\(cycles - 2); lds r20, ADCSRA; lds r21, ADCSRA",
      0xC0 | select, 0x90 | select)
  }

  static let firstConversions: [SmallProgram] = (0..<8).map { select in
    conversion(UInt8(select), cycles: 25 << max(select, 1))
  }

  static let conversions: [SmallProgram] = [
    SmallProgram(
      "further conversions take 13 clocks: 52 cycles from the prescaler's next edge, 3 later",
      "ADCSRA=0xC2; nop*110; ADCSRA=0xD2; nop*53; lds r20, ADCSRA; lds r21, ADCSRA", 0xC2, 0x92),
    SmallProgram("without ADEN nothing begins", "ADCSRA=0x40; r20=ADCSRA", 0),
    SmallProgram(
      "ADIF is cleared by writing 1", "ADCSRA=0xC0; nop*60; ADCSRA=0x90; r20=ADCSRA", 0x80),
    SmallProgram(
      "free running sets ADIF again",
      "ADCSRA=0xE0; nop*60; ADCSRA=0xF0; r20=ADCSRA; nop*30; r21=ADCSRA", 0xE0, 0xF0),
    SmallProgram("ADMUX has no bit 4", "ADMUX=0xFF; r20=ADMUX", 0xEF),
    SmallProgram(
      "the ADC interrupts at word 42",
      """
      rjmp main
      .org 42; inc r20; reti
      .org 60; main:; r20=0; ADCSRA=0xC8; sei; nop*60; r21=ADCSRA
      """, 1, 0x88),
  ]

  @Test(arguments: firstConversions + conversions)
  func `The ADC takes the time that its clock needs`(_ program: SmallProgram) throws {
    try program.check()
  }

  static let system = [
    SmallProgram(
      "the general purpose registers",
      "GPIOR0=1; GPIOR1=2; GPIOR2=3; r20=GPIOR0; r21=GPIOR1; r22=GPIOR2", 1, 2, 3),
    SmallProgram("SLEEP does nothing while SE is 0", "sleep; r20=7", 7),
    SmallProgram(
      "idle ends with an interrupt: 4 cycles to wake, 4 to enter",
      """
      rjmp main
      .org 32; in r20, TCNT0; reti
      .org 60; main:; SMCR=1; TCNT0=200; TIMSK0=1; TCCR0B=1; sei; sleep
      """, 8),
    SmallProgram(
      "PIN toggles PORT", "PORTB=0x0F; PINB=0x3C; in r20, PORTB", 0x33),
    SmallProgram("SBI on PIN toggles one bit", "PORTB=0x0F; sbi PINB, 0; in r20, PORTB", 0x0E),
    SmallProgram(
      "PUD switches the pull-ups off",
      "PORTB=0xFF; nop; in r20, PINB; MCUCR=0x10; nop; in r21, PINB", 0xFF, 0),
    SmallProgram("the comparator's output is 1 at 1.1 V above 0 V", "ACSR=0x4F; r20=ACSR", 0x7F),
    SmallProgram("MCUSR tells a power-on", "r20=MCUSR", 1),
    SmallProgram(
      "an instruction is executed after SEI before an interrupt",
      """
      rjmp main
      .org 44; mov r20, r17; EECR=0; reti
      .org 60; main:; r17=1; EECR=8; sei; inc r17; inc r17
      """, 2),
  ]

  @Test(arguments: system)
  func `The system registers do what they say`(_ program: SmallProgram) throws {
    try program.check()
  }
}
