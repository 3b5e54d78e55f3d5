import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of Timer 1 in `timer.spec.ts`. See `TimerPeerTests` for the cycles,
/// and for the rules by which this chip sets a flag and enters an interrupt later.
@Suite("avr8js's expectations of Timer 1")
struct Timer1PeerTests {
  private static let go = "r17=1; sts TCCR1B, r17; "

  static let registers = [
    SmallProgram(
      "both bytes of TCNT1", "TCNT1=0x2233; r20=TCNT1L; r21=TCNT1H", 0x33, 0x22),
    SmallProgram(
      "one clock on 0x2233: 0x2234", "TCNT1=0x2233; \(go) r20=TCNT1L; r21=TCNT1H", 0x34, 0x22),
    SmallProgram(
      "the high byte, written after the low one, does not reach TCNT1",
      "TCNT1L=0x22; TCNT1H=0x55; r20=TCNT1L; r21=TCNT1H", 0x22, 0),
    SmallProgram(
      "the high byte, read before the low one, is that of the last access; CTC to 0 follows",
      "TCNT1=0xFFFF; TCCR1B=9; r20=TCNT1H; r21=TCNT1L", 0xFF, 0),
    SmallProgram(
      "10-bit fast PWM keeps 2 bits of OCR1A's high byte",
      "TCCR1A=3; TCCR1B=8; OCR1A=0xFFFF; r20=OCR1AL; r21=OCR1AH", 0xFF, 3),
  ]

  @Test(arguments: registers)
  func `The bytes of 16-bit registers are accessed as avr8js expects`(
    _ program: SmallProgram
  ) throws { try program.check() }

  static let counts = [
    SmallProgram(
      "OCF1A with the clock after the match, at 0x10EF",
      "OCR1A=0x10EF; TCNT1=0x10EE; \(go) in r20, TIFR1; in r21, TIFR1; in r22, TIFR1", 0, 0, 2),
    SmallProgram(
      "mode 12: 0 after ICR1, no TOV",
      "ICR1=0x5010; TCNT1=0x500F; TCCR1B=0x19; nop; r20=TCNT1L; r21=TCNT1H; in r22, TIFR1; "
        + "andi r22, 1", 0, 0, 0),
    SmallProgram(
      "mode 15 to 120: 1 after four clocks on 118",
      "OCR1A=120; OCR1B=4; TCNT1=118; TCCR1A=3; TCCR1B=0x19; nop*3; r20=TCNT1L", 1),
    SmallProgram(
      "mode 15 to 120: OCF1A, and not OCF1B",
      "OCR1A=120; OCR1B=4; TCNT1=118; TCCR1A=3; TCCR1B=0x19; nop*4; in r20, TIFR1; andi r20, 6",
      2),
    SmallProgram(
      "10-bit fast PWM: 0 after 0x3FF, with TOV",
      "TCCR1A=3; TCCR1B=8; TCNT1=0x3FF; TCCR1B=9; r20=TCNT1L; r21=TCNT1H; in r22, TIFR1; "
        + "andi r22, 1", 0, 0, 1),
    SmallProgram(
      "10-bit fast PWM interrupts at word 0x1A, 4 cycles after 0, and clears TOV",
      """
      rjmp main
      .org 0x1A; in r22, TIFR1; r20=TCNT1L; r21=TCNT1H; andi r22, 1; rjmp end
      .org 60; main:; TCCR1A=3; TCCR1B=8; TIMSK1=1; TCNT1=0x3FF; sei; TCCR1B=9; nop*30
      """, 6, 0, 0),
  ]

  @Test(arguments: counts)
  func `Timer 1 counts as avr8js expects`(_ program: SmallProgram) throws { try program.check() }

  /// Mode 9: phase and frequency correct to OCR1A.
  private static let mode9 = "TCCR1A=1; TCCR1B=0x11; TCNT1=0; "

  static let buffers = [
    SmallProgram(
      "TOP is 4, and 8 from BOTTOM on",
      """
      OCR1A=4; \(mode9) r16=8; sts OCR1AL, r16
      lds r20, TCNT1L; lds r21, TCNT1L; nop*6; lds r22, TCNT1L; nop; lds r23, TCNT1L
      """, 4, 2, 6, 7)
  ]

  @Test(arguments: buffers)
  func `OCR1A takes effect at BOTTOM as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
