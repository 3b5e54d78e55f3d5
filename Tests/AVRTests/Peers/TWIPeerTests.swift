import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of TWI in `twi.spec.ts`. Its slaves are objects of its tests; here a
/// PCA9685 at 0x40 answers. Its first register is 0x11 after a reset, and is read again and again.
@Suite("avr8js's expectations of TWI")
struct TWIPeerTests {
  /// Waits until TWINT is set.
  private static func wait(_ label: String) -> String {
    "\(label):; lds r18, TWCR; sbrs r18, 7; rjmp \(label); "
  }
  private static let start = "TWCR=0xA4; \(wait("started")) r20=TWSR; "

  private static func address(_ byte: Int) -> String {
    "TWDR=\(byte); TWCR=0x84; \(wait("addressed")) r21=TWSR; "
  }

  /// A START takes one bit. TWINT is read one cycle before a bit is over, and one after: at the
  /// cycles of the bit less 1, and plus 1, from the end of the store.
  private static func bit(_ name: String, _ setUp: String, _ cycles: Int) -> SmallProgram {
    SmallProgram(
      "\(name): \(cycles) cycles a bit",
      "\(setUp); TWCR=0xA4; nop*\(cycles - 2); lds r20, TWCR; lds r21, TWCR", 0x24, 0xA4)
  }

  static let transfers: [SmallProgram] = {
    var rows = [
      SmallProgram("START", start, 0x08),
      SmallProgram(
        "a repeated START, and SLA+W after it",
        "\(start) TWCR=0xA4; \(wait("again")) r20=TWSR; \(address(0x80))", 0x10, 0x18),
      SmallProgram(
        "a byte is sent: the statuses of START, SLA+W and the byte",
        "\(start) \(address(0x80)) TWDR=0x55; TWCR=0x84; \(wait("sent")) r22=TWSR", 0x08, 0x18,
        0x28),
      // avr8js's test sets TWINT after the STOP. "TWINT is NOT set after a STOP condition has been
      // sent" ("Using the TWI"); TWSTO is cleared.
      SmallProgram(
        "STOP: no status, TWSTO and TWINT 0",
        """
        \(start) \(address(0x80)) TWCR=0x94; stopped:; lds r18, TWCR; sbrc r18, 4; rjmp stopped
        r20=TWSR; r21=TWCR
        """, 0xF8, 0x04),
      SmallProgram(
        "two bytes are received, the first with ACK: statuses and bytes",
        """
        \(start) \(address(0x81)) TWCR=0xC4; \(wait("first")) r22=TWSR; r23=TWDR
        TWCR=0x84; \(wait("second")) r24=TWSR; r25=TWDR
        """, 0x08, 0x40, 0x50, 0x11, 0x58, 0x11),
    ]
    for index in rows.indices { rows[index].drivers = [0x40] }
    return rows
  }()

  static let bits = [
    bit("TWBR 0x48, 100 kHz", "TWBR=0x48", 160),
    bit("TWBR 3 and the prescaler 4, 400 kHz", "TWSR=1; TWBR=3", 40),
  ]

  /// avr8js clears TWINT when it enters the interrupt. The data sheet's flag "is not automatically
  /// cleared by hardware when executing the interrupt routine" (TWCR).
  static let interrupts = [
    SmallProgram(
      "TWINT interrupts at word 0x30 and stays set",
      """
      rjmp main
      .org 0x30; r20=TWCR; r21=1; rjmp end
      .org 60; main:; r21=0; sei; TWCR=0xA5; nop*100
      """, 0xA5, 1)
  ]

  @Test(arguments: transfers + bits + interrupts)
  func `TWI transfers as avr8js expects`(_ program: SmallProgram) throws { try program.check() }
}
