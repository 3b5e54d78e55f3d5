import Testing

@testable import AVR

/// What avr8js 0.21.0 (github.com/wokwi/avr8js) expects of Timers 0 and 2 in `timer.spec.ts`, as
/// figures; the programs are ours.
///
/// A write takes effect when the next instruction begins, at E. After n NOPs, IN reads at E + n,
/// and LDS at E + n + 1.
///
/// Three of its figures are not those of the data sheet, which the rows give instead:
/// - avr8js sets OCF with the edge to the value that matches. A match "will set the Output Compare
///   Flag at the next timer clock cycle" ("Output Compare Unit"), which is one clock later.
/// - avr8js enters an interrupt in two cycles. It takes four ("Interrupt Response Time").
/// - avr8js starts the prescaler with the clock's selection. The prescaler runs all the time
///   ("Prescaler Reset"), so these programs restart it through GTCCR.
@Suite("avr8js's expectations of Timers 0 and 2")
struct TimerPeerTests {
  private static let go = "r17=1; out TCCR0B, r17; "

  static let clocks = [
    SmallProgram("clk/1: 1 after a cycle", "\(go) nop; in r20, TCNT0", 1),
    SmallProgram(
      "clk/64: 1 after 64 cycles",
      "TCCR0B=3; GTCCR=1; nop*63; in r20, TCNT0; in r21, TCNT0", 0, 1),
    SmallProgram(
      "no clock: 0 after 100 000 cycles",
      "TCCR0B=0; \(SmallProgram.delay(100_000, "wait")) in r20, TCNT0", 0),
    SmallProgram(
      "Timer 2, clk/256: 1 after 511 cycles", "TCCR2B=6; GTCCR=2; nop*510; lds r20, TCNT2", 1),
    SmallProgram(
      "Timer 2, clk/256: 2 after 512 cycles", "TCCR2B=6; GTCCR=2; nop*511; lds r20, TCNT2", 2),
    SmallProgram(
      "the cycle after a write of TCNT0 does not count",
      "TCCR0B=1; r16=0x30; out TCNT0, r16; nop; in r20, TCNT0", 0x31),
    SmallProgram(
      "LDS reads in its second cycle",
      "TCCR0B=1; r16=0; out TCNT0, r16; nop; lds r20, TCNT0", 2),
    SmallProgram(
      "Timer 2 counts from the end of the store that starts it",
      "nop*4; TCCR2B=1; nop; lds r20, TCNT2", 2),
    SmallProgram(
      "Timer 2 counts to the end of the store that stops it",
      "eor r1, r1; r16=1; sts TCCR2B, r16; sts TCCR2B, r1; nop; lds r20, TCNT2", 2),
  ]

  @Test(arguments: clocks)
  func `A timer counts as avr8js expects`(_ program: SmallProgram) throws { try program.check() }

  static let overflows = [
    SmallProgram(
      "the count goes from 255 to 0", "TCNT0=0xFF; \(go) in r20, TCNT0; in r21, TCNT0", 0xFF, 0),
    SmallProgram(
      "TOV is set with that edge", "TCNT0=0xFF; \(go) in r20, TIFR0; in r21, TIFR0", 0, 1),
    SmallProgram(
      "four edges from 254: 2, and TOV",
      "TCNT0=0xFE; \(go) nop*4; in r20, TCNT0; in r21, TIFR0; andi r21, 1", 2, 1),
    SmallProgram(
      "TOV is cleared by writing 1",
      "TCNT0=0xFF; \(go) nop*2; TIFR0=1; in r20, TIFR0; andi r20, 1", 0),
    SmallProgram(
      "fast PWM to 255, with OCR0A 0x7F",
      "TCCR0A=3; OCR0A=0x7F; TCNT0=0xFF; \(go) nop; in r20, TCNT0; in r21, TIFR0; andi r21, 1", 0,
      1),
    SmallProgram(
      "CTC resets the count after OCR0A",
      "OCR0A=0x11; TCCR0A=2; TCNT0=0x10; \(go) nop; in r20, TCNT0; in r21, TCNT0", 0x11, 0),
    SmallProgram(
      "CTC below 255 sets no TOV",
      "OCR0A=0x1F; TCCR0A=2; TCNT0=0x1E; \(go) nop*2; in r20, TCNT0; in r21, TIFR0; andi r21, 1",
      0, 0),
    SmallProgram(
      "CTC to 255: no TOV at 255, and TOV at 0",
      "OCR0A=0xFF; TCCR0A=2; TCNT0=0xFE; \(go) nop; in r20, TIFR0; in r21, TIFR0; andi r21, 1", 0,
      1),
    SmallProgram(
      "CTC to 255: the count",
      "OCR0A=0xFF; TCCR0A=2; TCNT0=0xFE; \(go) nop; in r20, TCNT0; in r21, TCNT0", 0xFF, 0),
    SmallProgram(
      "CTC to 255: one TOV for an overflow",
      "OCR0A=0xFF; TCCR0A=2; TCNT0=0xFE; \(go) nop*3; TIFR0=1; nop*9; in r20, TIFR0; andi r20, 1",
      0),
  ]

  @Test(arguments: overflows)
  func `A timer overflows as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// avr8js expects each flag one clock earlier (see above).
  static let matches = [
    SmallProgram(
      "OCR0A: the count before, at and after the match",
      "OCR0A=0x11; TCNT0=0x10; \(go) in r20, TIFR0; in r21, TIFR0; in r22, TIFR0", 0, 0, 2),
    SmallProgram(
      "OCR0B: the count before, at and after the match",
      "OCR0B=0x11; TCNT0=0x10; \(go) in r20, TIFR0; in r21, TIFR0; in r22, TIFR0", 0, 0, 4),
    SmallProgram(
      "both registers 0: TOV at 0, and both flags after it",
      "TCNT0=0xFF; \(go) in r20, TIFR0; in r21, TIFR0; in r22, TIFR0", 0, 1, 7),
  ]

  @Test(arguments: matches)
  func `A match sets its flag with the next clock`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// The handler reads the count and the flag; R22 is 1 if it ran.
  private static func interrupt(
    _ name: String, _ word: Int, _ setUp: String, flag: UInt8, _ results: UInt8...
  ) -> SmallProgram {
    var program = SmallProgram(
      name,
      """
      rjmp main
      .org \(word); in r20, TCNT0; in r21, TIFR0; andi r21, \(flag); r22=1; rjmp end
      .org 60; main:; r20=0; r21=0; r22=0; \(setUp); nop*5
      in r20, TCNT0; in r21, TIFR0; andi r21, \(flag)
      """)
    program.results = results
    return program
  }

  /// The flag is set at E + 1 (overflow) or E + 2 (match), and four cycles later the handler reads
  /// the count. If no interrupt is taken, the count is read at E + 5.
  static let interrupts = [
    interrupt("an overflow", 0x20, "TIMSK0=1; TCNT0=0xFF; sei; \(go)", flag: 1, 4, 0, 1),
    interrupt("an overflow with I clear", 0x20, "TIMSK0=1; TCNT0=0xFF; \(go)", flag: 1, 4, 1, 0),
    interrupt("an overflow with TOIE0 clear", 0x20, "TCNT0=0xFF; sei; \(go)", flag: 1, 4, 1, 0),
    interrupt(
      "match A", 0x1C, "TIMSK0=2; OCR0A=0x21; TCNT0=0x20; sei; \(go)", flag: 2, 0x26, 0, 1),
    interrupt(
      "match A with OCIE0A clear", 0x1C, "OCR0A=0x21; TCNT0=0x20; sei; \(go)", flag: 2, 0x25, 2,
      0),
    interrupt(
      "match B", 0x1E, "TIMSK0=4; OCR0B=0x21; TCNT0=0x20; sei; \(go)", flag: 4, 0x26, 0, 1),
  ]

  @Test(arguments: interrupts)
  func `A flag interrupts at the vector that avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  static let inputs = [
    SmallProgram(
      "T0's falling edge, at CS 6", "TCCR0B=6; nop*18; in r20, TCNT0; nop*9; in r21, TCNT0", 0, 1
    )
    .with([.init(10, 4, true), .init(25, 4, false)]),
    SmallProgram(
      "T0's rising edge, at CS 7", "TCCR0B=7; nop*18; in r20, TCNT0; nop*9; in r21, TCNT0", 1, 1
    )
    .with([.init(10, 4, true), .init(25, 4, false)]),
  ]

  @Test(arguments: inputs)
  func `Timer 0 counts the edges of T0 that avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
