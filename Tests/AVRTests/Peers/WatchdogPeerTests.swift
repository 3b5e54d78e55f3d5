import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the watchdog in `watchdog.spec.ts`.
@Suite("avr8js's expectations of the watchdog")
struct WatchdogPeerTests {
  /// 125 cycles of the chip at 16 MHz are a cycle of the watchdog's 128 kHz.
  @Test(arguments: [(UInt8(0), UInt64(2_048)), (7, 262_144), (0x21, 1_048_576)])
  func `WDP selects the time-out that avr8js expects`(select: UInt8, clocks: UInt64) {
    var chip = Peripherals()
    chip.write(.WDTCSR, 0x18, at: 0)
    chip.write(.WDTCSR, 0x40 | select, at: 2)
    #expect(chip.interrupt(by: .max - 1) == Interrupt(cycle: 125 * clocks, vector: 6))
  }

  static let sequences = [
    SmallProgram(
      "WDCE and then WDP within four cycles",
      "r16=0x18; r17=0x47; sts WDTCSR, r16; sts WDTCSR, r17; r20=WDTCSR; wdr", 0x47),
    SmallProgram("WDP without WDCE", "WDTCSR=0; WDTCSR=7; r20=WDTCSR", 0),
    SmallProgram(
      "WDP five cycles after WDCE",
      "r16=0x18; r17=7; sts WDTCSR, r16; nop*3; sts WDTCSR, r17; r20=WDTCSR", 8),
  ]

  @Test(arguments: sequences)
  func `WDP changes only after WDCE, as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// The first run sets the watchdog up; the run after the reset ends with MCUSR in R20 and the
  /// byte at 0x100, which `main` leaves there, in R21.
  private static func untilReset(_ main: String) -> String {
    """
    r20=MCUSR; lds r21, 0x100; sbrc r20, 3; rjmp end
    MCUSR=0; r16=0x18; r17=8; r18=1; sts WDTCSR, r16; sts WDTCSR, r17; \(main); hang:; rjmp hang
    """
  }

  private static func wait(_ milliseconds: Int, _ label: String) -> String {
    SmallProgram.delay(16_000 * milliseconds, label)
  }

  static let resets = [
    SmallProgram(
      "no reset after 8 ms, and then one, which sets WDRF",
      untilReset("\(wait(8, "a")) sts 0x100, r18; \(wait(8, "b")) r18=2; sts 0x100, r18"), 8, 1),
    SmallProgram(
      "WDR after 8 ms: no reset after 8 ms more, and then one",
      untilReset(
        "\(wait(8, "a")) wdr; \(wait(8, "b")) sts 0x100, r18; \(wait(8, "c")) r18=2; "
          + "sts 0x100, r18"), 8, 1),
    SmallProgram(
      "none if the watchdog is switched off after 8 ms",
      """
      r16=0x18; r17=8; r18=0; sts WDTCSR, r16; sts WDTCSR, r17; \(wait(8, "a"))
      sts WDTCSR, r16; sts WDTCSR, r18; \(wait(16, "b")) \(wait(4, "c")) r20=55; r21=MCUSR
      """, 55, 1),
  ]

  @Test(arguments: resets)
  func `The watchdog resets the chip as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  @Test(arguments: [
    SmallProgram(
      "16 ms: word 0x0C, and WDIE is cleared",
      """
      rjmp main
      .org 0x0C; r20=WDTCSR; mov r21, r22; rjmp end
      .org 60; main:; r22=0; r16=0x18; r17=0x48; sts WDTCSR, r16; sts WDTCSR, r17; sei
      \(wait(8, "a")) r22=1; \(wait(8, "b")) r22=2; wdr
      """, 0x08, 1)
  ])
  func `The watchdog interrupts as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
