import Testing

@testable import AVR

/// SPI and TWI with nothing connected, according to the data sheet.
@Suite("Programs for SPI and TWI")
struct SerialBusProgramTests {
  /// Begins a transfer; the write takes effect when the next instruction begins.
  private static let send = "r17=0x5A; out SPDR, r17; "

  static let transfers = [
    // A write of SPDR ends at the beginning of the next instruction. SPSR is read with IN, so after
    // n NOPs it is read n cycles later. A byte takes 8 bits.
    SmallProgram(
      "fosc/4: 32 cycles", "SPCR=0x50; \(send) nop*31; in r20, SPSR; in r21, SPSR", 0, 0x80),
    SmallProgram(
      "fosc/2: 16 cycles", "SPCR=0x50; SPSR=1; \(send) nop*15; in r20, SPSR; in r21, SPSR", 1,
      0x81),
    SmallProgram(
      "fosc/16: 128 cycles", "SPCR=0x51; \(send) nop*127; in r20, SPSR; in r21, SPSR", 0, 0x80),
    SmallProgram(
      "fosc/8: 64 cycles", "SPCR=0x51; SPSR=1; \(send) nop*63; in r20, SPSR; in r21, SPSR", 1,
      0x81),
    SmallProgram(
      "fosc/64: 512 cycles", "SPCR=0x52; \(send) nop*511; in r20, SPSR; in r21, SPSR", 0, 0x80),
    SmallProgram(
      "fosc/32: 256 cycles", "SPCR=0x52; SPSR=1; \(send) nop*255; in r20, SPSR; in r21, SPSR",
      1, 0x81),
    SmallProgram(
      "fosc/128: 1024 cycles", "SPCR=0x53; \(send) nop*1023; in r20, SPSR; in r21, SPSR", 0,
      0x80),
    SmallProgram(
      "fosc/64 again with SPI2X: 512 cycles",
      "SPCR=0x53; SPSR=1; \(send) nop*511; in r20, SPSR; in r21, SPSR", 1, 0x81),
    SmallProgram(
      "MISO reads low without a pull-up", "SPCR=0x50; \(send) nop*40; in r20, SPDR", 0),
    SmallProgram(
      "MISO reads high with its pull-up", "PORTB=0x10; SPCR=0x50; \(send) nop*40; in r20, SPDR",
      0xFF),
    SmallProgram(
      "reading SPSR and then SPDR clears SPIF",
      "SPCR=0x50; \(send) nop*40; in r20, SPSR; in r21, SPSR; in r22, SPDR; in r23, SPSR", 0x80,
      0x80, 0, 0),
    SmallProgram(
      "reading SPDR alone does not clear SPIF",
      "SPCR=0x50; \(send) nop*40; in r20, SPDR; in r21, SPSR", 0, 0x80),
    SmallProgram(
      "writing SPDR after SPSR clears SPIF",
      "SPCR=0x50; \(send) nop*40; in r20, SPSR; out SPDR, r17; in r21, SPSR", 0x80, 0),
    SmallProgram(
      "a write during a transfer sets WCOL and is lost",
      "SPCR=0x50; \(send) nop*10; out SPDR, r17; in r20, SPSR; nop*20; in r21, SPSR", 0x40,
      0xC0),
    SmallProgram(
      "reading SPSR and then SPDR clears WCOL",
      "SPCR=0x50; \(send) out SPDR, r17; in r20, SPSR; in r21, SPDR; in r22, SPSR", 0x40, 0, 0),
    SmallProgram(
      "without SPE nothing is sent", "SPCR=0x10; \(send) nop*100; in r20, SPSR", 0),
    SmallProgram(
      "a slave sends nothing, as no master clocks it",
      "SPCR=0x40; \(send) nop*100; in r20, SPSR", 0),
    SmallProgram(
      "switching SPI off ends a transfer",
      "SPCR=0x50; \(send) SPCR=0; SPCR=0x50; nop*100; in r20, SPSR", 0),
    SmallProgram(
      "vector 17 is taken, and SPIF is cleared by it",
      """
      rjmp main
      .org 34; in r20, SPSR; inc r21; reti
      main:; r21=0; SPCR=0xD0; sei; \(send) nop*100; in r22, SPSR
      """, 0, 1, 0),
    SmallProgram(
      "as Arduino's library: wait for SPIF, read SPDR",
      "PORTB=0x10; SPCR=0x50; \(send) wait:; in r18, SPSR; sbrs r18, 7; rjmp wait; in r20, SPDR",
      0xFF),
  ]

  /// PRR, "Power Reduction Register": the state is frozen, and writes have no effect.
  static let reductions = [
    SmallProgram(
      "PRADC: no conversion begins", "ADCSRA=0x80; PRR=1; ADCSRA=0xC0; nop*60; r20=ADCSRA", 0x80),
    SmallProgram(
      "PRADC: a conversion waits",
      "ADCSRA=0xC0; PRR=1; nop*200; r20=ADCSRA; PRR=0; nop*60; r21=ADCSRA",
      0xC0, 0x90),
    SmallProgram("PRADC: ADMUX cannot be written", "PRR=1; ADMUX=3; PRR=0; r20=ADMUX", 0),
    SmallProgram(
      "PRSPI: no transfer begins", "SPCR=0x50; PRR=4; \(send) nop*60; in r20, SPSR", 0),
    SmallProgram(
      "PRSPI: a transfer waits",
      "SPCR=0x50; \(send) PRR=4; nop*60; in r20, SPSR; PRR=0; nop*40; in r21, SPSR",
      0, 0x80),
    SmallProgram("PRSPI: SPCR cannot be written", "PRR=4; SPCR=0x50; PRR=0; r20=SPCR", 0),
    SmallProgram(
      "PRTWI: no START", "TWCR=0x04; PRR=0x80; TWCR=0xA4; nop*60; r20=TWCR; r21=TWSR", 0x04, 0xF8),
    SmallProgram(
      "PRTWI: a START waits", "TWCR=0xA4; PRR=0x80; nop*60; r20=TWSR; PRR=0; nop*40; r21=TWSR",
      0xF8, 0x08),
    SmallProgram("PRTWI: TWBR cannot be written", "PRR=0x80; TWBR=7; PRR=0; r20=TWBR", 0),
  ]

  @Test(arguments: reductions)
  func `A peripheral that PRR stops neither works nor takes settings`(_ program: SmallProgram)
    throws
  {
    try program.check()
  }

  @Test func `An address without a device is reported once, with and without a driver`() throws {
    let probe =
      "TWDR=0x4E; TWCR=0x84; \(Self.wait("sent")) TWCR=0xA4; \(Self.wait("again")) "
      + "TWDR=0x4F; TWCR=0x84; \(Self.wait("read")) TWCR=0xA4; \(Self.wait("third")) TWDR=0x80; TWCR=0x84; "
      + Self.wait("driver")
    let program = try Assembler(Self.start + probe)
    for (drivers, expected) in [([], [0x27, 0x40]), ([0x40], [0x27])] as [([UInt8], [UInt8])] {
      var chip = program.chip
      for address in drivers { _ = chip.attach("pca9685", at: .address(address)) }
      chip.run(until: 20_000)
      let silent: [UInt8] = chip.takeEvents().compactMap {
        if case .unanswered(let address) = $0.event { address } else { nil }
      }
      #expect(silent == expected)
    }
  }

  @Test(arguments: transfers)
  func `SPI sends eight bits and receives the level of MISO`(_ program: SmallProgram) throws {
    try program.check()
  }

  /// Waits until TWINT is set.
  private static func wait(_ name: String) -> String {
    "\(name):; lds r18, TWCR; sbrs r18, 7; rjmp \(name); "
  }
  private static let start = "TWCR=0xA4; " + wait("started")

  static let conditions = [
    SmallProgram("after a reset", "r20=TWSR; r21=TWDR; r22=TWCR; r23=TWAR", 0xF8, 0xFF, 0, 0xFE),
    SmallProgram("START", "TWBR=72; \(start) r20=TWSR; r21=TWCR", 0x08, 0xA4),
    SmallProgram("START with a prescaler", "TWSR=1; TWBR=72; \(start) r20=TWSR", 0x09),
    SmallProgram(
      "repeated START", "\(start) TWCR=0xA4; \(wait("again")) r20=TWSR", 0x10),
    SmallProgram(
      "SLA+W is not acknowledged",
      "\(start) TWDR=0x80; TWCR=0x84; \(wait("sent")) r20=TWSR; r21=TWDR", 0x20, 0x80),
    SmallProgram(
      "SLA+R is not acknowledged",
      "\(start) TWDR=0x81; TWCR=0x84; \(wait("sent")) r20=TWSR", 0x48),
    SmallProgram(
      "SLA+W after a repeated START",
      "\(start) TWCR=0xA4; \(wait("again")) TWDR=0x80; TWCR=0x84; \(wait("sent")) r20=TWSR",
      0x20),
    SmallProgram(
      "a byte that is sent anyway is not acknowledged",
      """
      \(start) TWDR=0x80; TWCR=0x84; \(wait("sent"))
      TWDR=0x12; TWCR=0x84; \(wait("byte")) r20=TWSR
      """, 0x30),
    SmallProgram(
      "STOP clears TWSTO and leaves TWINT 0",
      "\(start) TWCR=0x94; stop:; lds r18, TWCR; sbrc r18, 4; rjmp stop; r20=TWCR; r21=TWSR",
      0x04, 0xF8),
    SmallProgram(
      "STOP and START at once: a START, not a repeated one",
      "\(start) TWCR=0xB4; \(wait("again")) r20=TWSR; r21=TWCR", 0x08, 0xA4),
    SmallProgram(
      "TWSTO on a free bus clears at once", "TWCR=0x94; nop*4; r20=TWCR; r21=TWSR", 0x04, 0xF8),
    SmallProgram(
      "a write of TWDR while TWINT is 0 sets TWWC and is lost",
      "TWDR=0x12; r20=TWDR; r21=TWCR", 0xFF, 0x08),
    SmallProgram(
      "a write of TWDR while TWINT is 1 clears TWWC",
      "TWDR=0x12; \(start) TWDR=0x34; r20=TWDR; r21=TWCR", 0x34, 0xA4),
    SmallProgram(
      "TWINT is not cleared by writing 0", "\(start) TWCR=0x04; r20=TWCR", 0x84),
    SmallProgram(
      "switching TWI off releases the bus: the next START is not a repeated one",
      "\(start) TWCR=0; TWCR=0xA4; \(wait("again")) r20=TWSR", 0x08),
    // STS ends 3 cycles after `TWCR=` begins; LDS reads one cycle after it begins. A bit takes 16
    // cycles with TWBR 0, so TWINT is first seen by an LDS that begins 15 cycles after STS ends.
    SmallProgram(
      "a START takes a bit", "TWCR=0xA4; nop*14; lds r20, TWCR; lds r21, TWCR", 0x24, 0xA4),
    SmallProgram(
      "a byte takes nine bits",
      "\(start) TWDR=0x80; TWCR=0x84; nop*142; lds r20, TWCR; lds r21, TWCR", 0x04, 0x84),
    SmallProgram(
      "TWBR 2 and the prescaler 4: 32 cycles a bit",
      "TWSR=1; TWBR=2; TWCR=0xA4; nop*30; lds r20, TWCR; lds r21, TWCR", 0x24, 0xA4),
    SmallProgram(
      "TWBR 1 and the prescaler 64: 144 cycles a bit",
      "TWSR=3; TWBR=1; TWCR=0xA4; nop*142; lds r20, TWCR; lds r21, TWCR", 0x24, 0xA4),
    SmallProgram(
      "vector 24 is taken for as long as TWINT is set",
      """
      rjmp main
      .org 48; inc r20; r21=TWSR; TWCR=0x94; reti
      main:; r20=0; TWCR=0xA5; sei; nop*100; r22=TWCR
      """, 1, 0x08, 0x04),
  ]

  @Test(arguments: conditions)
  func `TWI sends its conditions, and nothing acknowledges`(_ program: SmallProgram) throws {
    try program.check()
  }
}
