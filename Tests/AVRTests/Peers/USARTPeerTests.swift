import Testing

@testable import AVR

/// What avr8js 0.21.0 expects of USART0 in `usart.spec.ts`.
@Suite("avr8js's expectations of USART0")
struct USARTPeerTests {
  @Test(arguments: [
    // UBRR0, UCSR0A, the clock, baud; 833 times 8 cycles at 16 MHz are 2 400.96 baud, which avr8js
    // rounds down and `usartBaud` to the nearest.
    (UInt16(5), UInt8(0), UInt32(11_059_200), 115_200), (832, 2, 16_000_000, 2_401),
  ])
  func `UBRR0 and U2X0 set the speed that avr8js expects`(
    rate: UInt16, status: UInt8, hertz: UInt32, baud: Int
  ) throws {
    var chip = Peripherals(.atmega328p, try #require(ClockRate(hertz: hertz)))
    chip.write(.UBRR0H, UInt8(rate >> 8))
    chip.write(.UBRR0L, UInt8(rate & 0xFF))
    chip.write(.UCSR0A, status)
    chip.write(.UCSR0B, 8)
    #expect(chip.usartBaud == baud)
  }

  @Test(arguments: [
    // UCSR0C; the bits in a frame: start, data, parity, stop; the data bits of 0x61.
    (UInt8(0x00), UInt64(7), UInt8(0x01)), (0x02, 8, 0x21), (0x04, 9, 0x61), (0x06, 10, 0x61),
    (0x08, 8, 0x01), (0x0E, 11, 0x61),  // two stop bits
    (0x26, 11, 0x61), (0x36, 11, 0x61),  // even and odd parity
    (0x16, 10, 0x61),  // UPM00 alone, which is reserved: no parity
  ])
  func `UCSR0C selects the bits that avr8js expects`(control: UInt8, bits: UInt64, byte: UInt8) {
    var chip = Peripherals()
    chip.write(.UCSR0C, control)
    chip.write(.UCSR0B, 8)
    chip.write(.UDR0, 0x61, at: 100)
    // UBRR0 is 0: 16 cycles a bit.
    #expect(chip.read(.UCSR0A, at: 100 + 16 * bits - 1) == 0x20)
    #expect(chip.read(.UCSR0A, at: 100 + 16 * bits) == 0x60)
    let sent = chip.events.compactMap {
      if case .transmit(let byte, _) = $0.event, $0.cycle == 100 { byte } else { nil }
    }
    #expect(sent == [byte])
  }

  @Test func `Nine data bits take eleven bit times, as avr8js counts`() {
    var chip = Peripherals()
    chip.write(.UCSR0C, 0x06)
    chip.write(.UCSR0B, 0x0C)
    chip.write(.UDR0, 0x61, at: 100)
    #expect(chip.read(.UCSR0A, at: 100 + 16 * 11 - 1) == 0x20)
    #expect(chip.read(.UCSR0A, at: 100 + 16 * 11) == 0x60)
    #expect(chip.notices.isEmpty)
  }

  /// Sends a byte at 9600 baud. What follows begins with its start bit.
  private static let sends = "UCSR0B=8; UBRR0L=103; r17=0x48; sts UDR0, r17; "

  static let frames = [
    SmallProgram(
      "9600 baud: no TXC after 1 ms",
      "\(sends) \(SmallProgram.delay(15_998, "wait")) lds r20, UCSR0A; andi r20, 0x40", 0),
    SmallProgram(
      "9600 baud: TXC after 1.05 ms",
      "\(sends) \(SmallProgram.delay(16_798, "wait")) lds r20, UCSR0A; andi r20, 0x40", 0x40),
    SmallProgram(
      "with I clear: TXC and UDRE after the frame, and no interrupt",
      """
      rjmp main
      .org 0x26; r21=1; reti
      .org 0x28; r21=1; reti
      .org 60; main:; r21=0; UCSR0B=0x28; UDR0=0x61; nop*200; lds r20, UCSR0A
      """, 0x60, 0),
    // avr8js clears UDRE when it enters the interrupt. The data sheet's flag stays 1 until UDR0 is
    // written ("Data Transmission", "Transmitter Flags and Interrupts").
    SmallProgram(
      "UDRE interrupts at word 0x26 and stays set",
      """
      rjmp main
      .org 0x26; lds r20, UCSR0A; r21=1; rjmp end
      .org 60; main:; r21=0; sei; UCSR0B=0x28; nop*9
      """, 0x20, 1),
    SmallProgram(
      "TXC interrupts at word 0x28 and is cleared",
      """
      rjmp main
      .org 0x28; lds r20, UCSR0A; r21=1; rjmp end
      .org 60; main:; r21=0; sei; UCSR0B=0x48; UDR0=0x61; nop*200
      """, 0x20, 1),
    SmallProgram(
      "TXC does not interrupt if UDR0 was not written",
      """
      rjmp main
      .org 0x28; r20=1; reti
      .org 60; main:; r20=0; sei; UCSR0B=0x48; nop*200
      """, 0),
  ]

  @Test(arguments: frames)
  func `USART0 sends as avr8js expects`(_ program: SmallProgram) throws { try program.check() }

  @Test func `A byte at 9600 baud has not arrived after 1 ms, and has after 1.05 ms`() {
    var chip = Peripherals()
    chip.write(.UBRR0L, 103)
    chip.write(.UCSR0B, 0x10)
    chip.startBit(at: 0)
    #expect(chip.read(.UCSR0A, at: 16_000) == 0x20)
    // Ten bits of 16 times 104 cycles.
    chip.receive(0x42, framingError: false, at: 16_640)
    #expect(chip.read(.UCSR0A, at: 16_800) == 0xA0)
    #expect(chip.read(.UDR0, at: 16_801) == 0x42)
    #expect(chip.read(.UDR0, at: 16_802) == 0)
  }

  @Test(arguments: [(UInt8(0x00), false), (0x08, false), (0x10, true)])
  func `RXEN0 alone switches the receiver on`(control: UInt8, isOn: Bool) {
    var chip = Peripherals()
    chip.write(.UCSR0B, control)
    #expect(chip.usart.isReceiverOn == isOn)
  }
}
