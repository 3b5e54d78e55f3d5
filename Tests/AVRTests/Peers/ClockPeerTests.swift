import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of CLKPR in `clock.spec.ts`. avr8js also slows the clock; this chip
/// reports that it does not (docs/guide/chip.md, "What is not emulated").
@Suite("avr8js's expectations of CLKPR")
struct ClockPeerTests {
  @Test(arguments: [
    SmallProgram(
      "CLKPCE and then the divisor", "r16=0x80; r17=3; sts CLKPR, r16; sts CLKPR, r17; r20=CLKPR",
      3),
    SmallProgram("the divisor alone", "CLKPR=3; r20=CLKPR", 0),
    SmallProgram(
      "six cycles after CLKPCE",
      "r16=0x80; r17=3; sts CLKPR, r16; nop*4; sts CLKPR, r17; r20=CLKPR", 0),
  ])
  func `CLKPR changes only after CLKPCE, as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
