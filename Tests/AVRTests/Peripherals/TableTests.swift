import Testing

@testable import AVR

/// The owners of registers and interrupts. `Register` has the addresses of the data sheet.
@Suite("The table of peripherals")
struct TableTests {
  @Test func `Every register of the data sheet has one owner, and other addresses have none`() {
    for address in UInt16(0)...0xFF {
      let owner = Peripherals.map.registers[Int(address)]
      #expect((owner != nil) == (Register(rawValue: address) != nil), "\(address)")
    }
  }

  @Test(arguments: [
    (Register.PORTB, Peripherals.Owner.ports), (.PCICR, .external), (.GTCCR, .prescalers),
    (.OCR0A, .timer0), (.ICR1H, .timer1), (.ASSR, .timer2), (.UDR0, .usart), (.PRR, .system),
    (.WDTCSR, .watchdog), (.EEARH, .EEPROM), (.SPMCSR, .selfProgramming), (.DIDR0, .ADC),
    (.DIDR1, .comparator), (.SPDR, .SPI), (.TWAMR, .TWI),
  ])
  func `A register belongs to the peripheral that the data sheet lists it under`(
    _ register: Register, _ owner: Peripherals.Owner
  ) {
    #expect(Peripherals.map.registers[Int(register.rawValue)] == owner)
  }

  @Test func `Every interrupt has an owner`() {
    let without = (0..<32).filter { Peripherals.map.vectors[$0] == nil }
    // 0 is the reset; the last is 25.
    #expect(without == [0, 26, 27, 28, 29, 30, 31])
  }

  @Test(arguments: Peripherals.Owner.allCases)
  func `Visiting an owner reaches that owner's peripheral`(_ owner: Peripherals.Owner) {
    var place = Place()
    #expect(Peripherals.visit(owner, (), &place) == owner)
  }

  @Test func `Each peripheral has a deadline, and the earliest is the next`() {
    var deadlines = Deadlines()
    #expect(deadlines.earliest == .max)
    for owner in Peripherals.Owner.allCases {
      deadlines[owner] = 1_000 - UInt64(owner.rawValue)
      #expect(deadlines.earliest == 1_000 - UInt64(owner.rawValue))
    }
    for owner in Peripherals.Owner.allCases {
      #expect(deadlines[owner] == 1_000 - UInt64(owner.rawValue))
    }
  }

  private struct Place: PeripheralVisitor {
    func visit<P: Peripheral>(_: P.Type, _: Void) -> Peripherals.Owner { P.owner }
  }
}
