import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of SPI in `spi.spec.ts`. Nothing is connected to this chip's SPI, so
/// the rows receive MISO's level instead of a byte of avr8js's test.
@Suite("avr8js's expectations of SPI")
struct SPIPeerTests {
  /// SPR and SPI2X, and the cycles of a bit. A program counts them: Timer 1 runs while it waits for
  /// SPIF, in turns of 4 cycles.
  @Test(arguments: [
    (0, 0, 4), (1, 0, 16), (2, 0, 64), (3, 0, 128), (0, 1, 2), (1, 1, 8), (2, 1, 32), (3, 1, 64),
  ])
  func `SPR and SPI2X select the speed that avr8js expects`(
    select: Int, isDouble: Int, cycles: Int
  ) throws {
    let program = try Assembler(
      "SPSR=\(isDouble); SPCR=\(0x50 + select); TCCR1B=1; out SPDR, r16; eor r20, r20; "
        + "wait:; in r18, SPSR; sbrs r18, 7; rjmp wait; lds r20, TCNT1L; lds r21, TCNT1H")
    var chip = program.chip
    chip.run(until: 5_000)
    let low = Int(try #require(chip[data: 20]))
    let count = Int(try #require(chip[data: 21])) << 8 | low
    // The timer starts a cycle before the transfer, and is read at most 8 cycles after its end.
    #expect((8 * cycles + 1...8 * cycles + 9).contains(count), "\(count)")
  }

  private static let send = "r17=0x50; out SPDR, r17; "

  static let transfers = [
    SmallProgram(
      "master at clk/16: SPIF after 128 cycles, and MISO's level is received",
      """
      DDRB=0x28; PORTB=0x10; SPCR=0x51; r16=0xB8; out SPDR, r16
      nop*127; in r20, SPSR; wait:; in r16, SPSR; sbrs r16, 7; rjmp wait; in r21, SPDR
      """, 0, 0xFF),
    SmallProgram("a slave sends nothing", "SPCR=0x40; \(send) nop*200; in r20, SPSR", 0),
    SmallProgram("without SPE nothing is sent", "SPCR=0x10; \(send) nop*200; in r20, SPSR", 0),
    SmallProgram(
      "no WCOL after the first write of SPDR, and WCOL after a second during the transfer",
      "SPCR=0x50; \(send) in r20, SPSR; r17=0x51; out SPDR, r17; in r21, SPSR", 0, 0x40),
    SmallProgram(
      "SPDR keeps the byte received before until the transfer is over",
      """
      SPCR=0x50; \(send) nop*40; in r18, SPSR; PORTB=0x10; out SPDR, r17
      nop*10; in r20, SPDR; nop*20; in r21, SPDR; in r22, SPDR
      """, 0, 0, 0xFF),
    SmallProgram(
      "not interrupted 10 cycles after the write",
      """
      rjmp main
      .org 0x22; r21=1; rjmp end
      .org 60; main:; r21=0; SPCR=0xD0; sei; \(send) nop*10; in r20, SPSR
      """, 0, 0),
    SmallProgram(
      "interrupted at word 0x22 once the transfer is over, which clears SPIF",
      """
      rjmp main
      .org 0x22; in r20, SPSR; r21=1; rjmp end
      .org 60; main:; r21=0; SPCR=0xD0; sei; \(send) nop*110
      """, 0, 1),
    SmallProgram(
      "SPIE, set after the transfer, interrupts then",
      """
      rjmp main
      .org 0x22; in r20, SPSR; mov r21, r22; rjmp end
      .org 60; main:; r22=0; SPCR=0x50; sei; \(send) nop*64; r22=1; SPCR=0xD0; nop*3; r22=2
      """, 0, 1),
  ]

  @Test(arguments: transfers)
  func `SPI transfers as avr8js expects`(_ program: SmallProgram) throws { try program.check() }
}
