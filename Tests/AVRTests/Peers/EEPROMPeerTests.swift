import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of the EEPROM in `eeprom.spec.ts`.
@Suite("avr8js's expectations of the EEPROM")
struct EEPROMPeerTests {
  private static let write = "sbi EECR, 2; sbi EECR, 1; "
  private static let read = "EEDR=0; sbi EECR, 0; "

  /// Waits until no write is in progress.
  private static func done(_ label: String) -> String {
    "\(label):; sbic EECR, 1; rjmp \(label); "
  }

  static let accesses = [
    SmallProgram("an empty byte", "EEARL=0; EEARH=0; \(read) in r20, EEDR", 0xFF),
    // OUT starts the timer, SBI takes two cycles and IN reads in its only one.
    SmallProgram(
      "a read takes four cycles", "r17=1; out TCCR0B, r17; sbi EECR, 0; in r20, TCNT0", 2 + 4),
    SmallProgram(
      "a write takes two cycles and leaves EEPE set",
      "sbi EECR, 2; r17=1; out TCCR0B, r17; sbi EECR, 1; in r20, TCNT0; in r21, EECR", 2 + 2, 2),
    SmallProgram(
      "0x42 at 0x250",
      "EEARH=2; EEARL=0x50; EEDR=0x42; \(write) \(done("a")) \(read) in r20, EEDR", 0x42),
    SmallProgram(
      "0x55 at 15",
      "EEARL=15; EEDR=0x55; \(write) \(done("a")) \(read) in r20, EEDR", 0x55),
    SmallProgram(
      "EEPM1, write only: 0x55 over 0x0F gives 0x05",
      """
      EEARL=9; EEDR=0x0F; \(write) \(done("a")); EEDR=0x55; sbi EECR, 5; \(write) \(done("b"))
      \(read) in r20, EEDR
      """, 0x05),
    SmallProgram(
      "EEPM0, erase only: 0x55 over 0x22 gives 0xFF",
      """
      EEARL=9; EEDR=0x22; \(write) \(done("a")); EEDR=0x55; sbi EECR, 4; \(write) \(done("b"))
      \(read) in r20, EEDR
      """, 0xFF),
    SmallProgram(
      "EEPE eight cycles after EEMPE does nothing",
      "EEARL=15; EEDR=0x55; sbi EECR, 2; nop*6; sbi EECR, 1; in r20, EECR; \(read) in r21, EEDR", 0,
      0xFF),
    SmallProgram(
      "a write during another is ignored",
      """
      EEARL=15; EEDR=0x55; \(write) EEARL=16; EEDR=0x66; \(write) \(done("a"))
      EEARL=15; \(read) in r20, EEDR; EEARL=16; \(read) in r21, EEDR
      """, 0x55, 0xFF),
    SmallProgram(
      "a write after another",
      """
      EEARL=15; EEDR=0x55; \(write) \(done("a")) EEARL=16; EEDR=0x66; \(write) \(done("b"))
      EEARL=15; \(read) in r20, EEDR; EEARL=16; \(read) in r21, EEDR
      """, 0x55, 0x66),
  ]

  @Test(arguments: accesses)
  func `The EEPROM is accessed as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// The handler, at word 0x2C, leaves 1 in R21, and EECR in R20.
  private static func interrupt(_ main: String) -> String {
    """
    rjmp main
    .org 0x2C; in r20, EECR; r21=1; rjmp end
    .org 60; main:; r21=0; EEARL=15; EEDR=0x55; \(main); in r20, EECR
    """
  }

  /// A write takes 3.4 ms, which are 54 400 cycles.
  static let interrupts = [
    SmallProgram(
      "not 1 000 cycles after the write began",
      interrupt("sei; r17=0x0A; sbi EECR, 2; out EECR, r17; \(SmallProgram.delay(1_000, "a"))"),
      0x0A, 0),
    SmallProgram(
      "once the write is done, with EEPE 0",
      interrupt("sei; r17=0x0A; sbi EECR, 2; out EECR, r17; \(SmallProgram.delay(55_000, "a"))"),
      0x08, 1),
    SmallProgram(
      "not while EERIE is clear",
      interrupt("sei; \(write) \(SmallProgram.delay(55_000, "a"))"), 0, 0),
    SmallProgram(
      "when EERIE is set after the write",
      interrupt("sei; \(write) \(SmallProgram.delay(55_000, "a")) sbi EECR, 3; nop*3"), 0x08, 1),
  ]

  @Test(arguments: interrupts)
  func `The EEPROM interrupts as avr8js expects`(_ program: SmallProgram) throws {
    try program.check()
  }
}
