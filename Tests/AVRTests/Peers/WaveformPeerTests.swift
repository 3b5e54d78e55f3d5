import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the pins that the timers drive, and of phase correct PWM, in
/// `timer.spec.ts`.
///
/// avr8js changes a pin with the edge to the value that matches. In the data sheet's timing
/// diagrams and here, a match takes effect with the next clock, so that the rows' edges are one
/// clock later; those at BOTTOM are the same.
@Suite("avr8js's expectations of the timers' pins")
struct WaveformPeerTests {
  /// A program, and what it does to a pin.
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var source: String
    var pin: Pin
    var edges: [Edge]
  }

  private static let match0A = Pin(.D, 6)
  private static let match0B = Pin(.D, 5)
  private static let match1B = Pin(.B, 2)
  private static let output = "sbi DDRD, 6; "

  static let rows = [
    Row(
      testDescription: "FOC0B clears OC0B, which it has set before",
      // SBI 2; then 2 cycles for each register.
      source: "sbi DDRD, 5; TCCR0A=0x30; TCCR0B=0x40; TCCR0A=0x20; TCCR0B=0x40", pin: match0B,
      edges: [Edge(6, true), Edge(10, false)]),
    Row(
      testDescription: "fast PWM, COM 3: set by the match at 0xFE, cleared at 0",
      // 0xFC at cycle 10, 0xFE at 12, 0xFF at 13, 0 at 14.
      source: "\(output) TCNT0=0xFC; OCR0A=0xFE; TCCR0A=0xC3; TCCR0B=1; nop*10", pin: match0A,
      edges: [Edge(13, true), Edge(14, false)]),
    Row(
      testDescription: "fast PWM to OCR0A, COM 1: toggled by the match at 0xFE, the TOP",
      // 0xFC at cycle 10, 0xFE at 12, 0 at 13.
      source: "\(output) TCNT0=0xFC; OCR0A=0xFE; TCCR0A=0x43; TCCR0B=9; nop*10", pin: match0A,
      edges: [Edge(13, true)]),
    Row(
      testDescription: "COM 1 without WGM02 leaves OC0A to the port",
      // The port's 1 is on the pin until TCCR0B is 9, and again once it is 1.
      source: "\(output) sbi PORTD, 6; OCR0A=0xFE; TCCR0A=0x43; TCCR0B=9; nop*3; TCCR0B=1; nop*9",
      pin: match0A, edges: [Edge(4, true), Edge(10, false), Edge(15, true)]),
    Row(
      testDescription: "phase correct, COM 2: cleared at 0xFE going up, set going down",
      // FOC0A sets the pin first, at cycle 6. 0xFD at 14, 0xFE at 15, 0xFF at 16, 0xFE at 17.
      source: "\(output) TCCR0A=0xC0; TCCR0B=0x80; OCR0A=0xFE; TCCR0A=0x81; TCNT0=0xFD; TCCR0B=1; "
        + "nop*9", pin: match0A, edges: [Edge(6, true), Edge(16, false), Edge(18, true)]),
    Row(
      testDescription: "phase correct to OCR0A, COM 1: toggled by the match at 0xFE, the TOP",
      // 0xFD at cycle 10, 0xFE at 11, 0xFD at 12.
      source: "\(output) OCR0A=0xFE; TCCR0A=0x41; TCNT0=0xFD; TCCR0B=9; nop*9", pin: match0A,
      edges: [Edge(12, true)]),
    Row(
      testDescription: "phase correct to 255, COM 1: OC0A is not connected",
      source: "\(output) OCR0A=0xFE; TCCR0A=0x41; TCNT0=0xFD; TCCR0B=1; nop*9", pin: match0A,
      edges: []),
    Row(
      testDescription: "a match in the middle of an instruction of two cycles sets the pin",
      // 0x0F at cycle 10, 0x10 at 11; the jump ends at 12.
      source: "\(output) OCR0A=0x10; TCCR0A=0xC0; TCNT0=0x0F; TCCR0B=1; rjmp next; next:; nop",
      pin: match0A, edges: [Edge(12, true)]),
    Row(
      testDescription: "normal mode, COM 1: OC1B is toggled by the match at 0x4A",
      // 0x49 at cycle 20, 0x4A at 21.
      source: "sbi DDRB, 2; TCCR1A=0x10; OCR1B=0x4A; TCNT1=0x49; TCCR1B=1; nop*9", pin: match1B,
      edges: [Edge(22, true)]),
    // avr8js expects the next two of FOC1C and OC1C, which this chip does not have.
    Row(
      testDescription: "FOC1B toggles OC1B",
      source: "sbi DDRB, 2; TCCR1A=0x10; TCCR1C=0x40", pin: match1B, edges: [Edge(8, true)]),
    Row(
      testDescription: "FOC1B does nothing in PWM",
      source: "sbi DDRB, 2; TCCR1A=0x12; TCCR1C=0x40", pin: match1B, edges: []),
  ]

  @Test(arguments: rows)
  func `A timer drives its pin as avr8js expects`(_ row: Row) throws {
    #expect(try SmallProgram(row.testDescription, row.source).edges(of: row.pin) == row.edges)
  }

  /// Mode 5: phase correct to OCR0A.
  private static let mode5 = "TCCR0A=1; TCCR0B=9; "

  static let counts = [
    SmallProgram(
      "up to 3, down to 0, up again",
      "OCR0A=3; \(mode5) TCNT0=2; in r20, TCNT0; in r21, TCNT0; in r22, TCNT0; in r23, TCNT0; "
        + "in r24, TCNT0; in r25, TCNT0", 2, 3, 2, 1, 0, 1),
    SmallProgram(
      "TOV after it has been down to 0",
      "OCR0A=3; \(mode5) TCNT0=2; nop*6; in r20, TIFR0; andi r20, 1", 1),
    SmallProgram(
      "a new OCR0A is TOP after the old TOP",
      "OCR0A=4; \(mode5) TCNT0=0; r16=2; out OCR0A, r16; nop*2; in r20, TCNT0; nop*6; "
        + "in r21, TCNT0", 4, 1),
    SmallProgram("TOP is 0: the count stays there", "\(mode5) in r20, TCNT0; in r21, TCNT0", 0, 0),
    // avr8js counts from the first clock after the write. Here TOP and BOTTOM take a clock each
    // even if both are 0, so the count begins with the second; the data sheet does not specify
    // this.
    SmallProgram(
      "TOP is 0, and then 2",
      "\(mode5) nop*2; r16=2; out OCR0A, r16; nop; in r20, TCNT0; in r21, TCNT0", 0, 1),
    // avr8js expects 0 twice. A write of TCNT0 blocks the match on the next clock, and a write of
    // the value of OCR0A misses it, so that TOP is passed ("Using the Output Compare Unit"; Timer
    // 1's section says that the count continues to the maximum).
    SmallProgram(
      "TOP is 0, and 0 is written: the match is missed",
      "\(mode5) TCNT0=0; in r20, TCNT0; in r21, TCNT0", 0, 1),
    SmallProgram(
      "a count above TOP wraps", "\(mode5) TCNT0=0xFF; in r20, TCNT0; in r21, TCNT0", 0xFF, 0),
  ]

  @Test(arguments: counts)
  func `Phase correct PWM counts as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  @Test func `A compare match is seen in PINB`() throws {
    // OC1A (PB1) is set and then cleared by FOC1A.
    try SmallProgram(
      "OC1A",
      "sbi DDRB, 1; TCCR1A=0xC0; TCCR1C=0x80; nop; in r20, PINB; TCCR1A=0x80; TCCR1C=0x80; "
        + "nop; in r21, PINB", 2, 0
    ).check()
  }
}
