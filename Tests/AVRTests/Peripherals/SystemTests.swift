import Testing

@testable import AVR

@Suite("System control and interactions")
struct SystemTests {
  @Test func `Every register has its initial value`() {
    let values: [UInt16: UInt8] = [
      0x54: 0x01, 0x66: 0x9D, 0xB9: 0xF8, 0xBA: 0xFE, 0xBB: 0xFF, 0xC0: 0x20, 0xC2: 0x06,
    ]
    var chip = Peripherals()
    for address in UInt16(0x20)...0xFF where Register(rawValue: address) != nil {
      #expect(chip.read(address, at: 0, pc: 0) == values[address] ?? 0, "\(address)")
    }
    #expect(chip.events.isEmpty)
    // Again after every register has had another value.
    for address in UInt16(0x20)...0xFF where Register(rawValue: address) != nil {
      chip.write(0xA5, to: address, at: 10, pc: 0)
    }
    chip.reset(.external, at: 20)
    for address in UInt16(0x20)...0xFF where Register(rawValue: address) != nil {
      let kept: [UInt16: UInt8] = [0x54: 0x03, 0x3F: 0x20, 0x41: 0xA5, 0x42: 0x01]
      let expected = kept[address] ?? values[address] ?? 0
      #expect(chip.read(address, at: 21, pc: 0) == expected, "\(address)")
    }
  }

  @Test func `A reserved address reads 0 and is reported once`() {
    var chip = Peripherals()
    chip.write(0x55, to: 0x2C, at: 5, pc: 0x40)
    #expect(chip.read(0x2C, at: 6, pc: 0x42) == 0)
    #expect(
      chip.events == [
        TimedChipEvent(
          cycle: 5, event: .notice(Notice(name: "reserved register 0x2C", address: 0x40)))
      ])
  }

  @Test func `The lowest pending vector is taken first`() {
    var chip = Peripherals()
    chip.write(.TIMSK0, 7)
    chip.write(.TIMSK1, 7)
    chip.write(.TIMSK2, 7)
    chip.write(.TCCR0B, 1)
    chip.write(.TCCR1B, 1)
    chip.write(.TCCR2B, 1)
    chip.write(.UCSR0B, 0xF8)
    chip.receive(1, framingError: false, at: 10)
    chip.write(.UDR0, 1, at: 20)
    chip.write(.EECR, 8, at: 30)
    chip.write(.SPMCSR, 0x80, at: 30)
    chip.write(.WDTCSR, 0x40, at: 30)
    chip.write(.EICRA, 0b0101, at: 30)
    chip.write(.EIMSK, 3, at: 30)
    chip.write(.PCICR, 7, at: 30)
    for register in [Register.PCMSK0, .PCMSK1, .PCMSK2] { chip.write(register, 0x0C, at: 30) }
    chip.write(.ADCSRA, 0xC8, at: 30)
    for port in Pin.Port.allCases {
      chip.drive(Pin(port, 2), true, at: 40)
      chip.drive(Pin(port, 3), true, at: 40)
    }
    chip.advance(to: 300_000)
    var order: [UInt8] = []
    while let vector = chip.pendingVector(), order.count < 30 {
      order.append(vector)
      chip.acknowledge(vector, at: 300_000)
      // The program has to clear the flags that the hardware leaves set.
      switch vector {
      case 18: _ = chip.read(.UDR0, at: 300_000)
      case 19: chip.write(.UCSR0B, 0xD8, at: 300_000)
      case 22: chip.write(.EECR, 0, at: 300_000)
      case 25: chip.write(.SPMCSR, 0, at: 300_000)
      default: break
      }
    }
    #expect(
      order == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19, 20, 21, 22, 25])
  }

  @Test func `IVSEL changes only within four cycles of IVCE, which blocks interrupts`() {
    var chip = Peripherals()
    chip.write(.EECR, 8)
    chip.write(.MCUCR, 2, at: 1)
    #expect(!chip.system.vectorsInBootSection)
    chip.write(.MCUCR, 1, at: 10)
    #expect(!chip.isInterruptPending)
    chip.write(.MCUCR, 2, at: 14)
    #expect(chip.system.vectorsInBootSection)
    #expect(chip.isInterruptPending)
    chip.write(.MCUCR, 1, at: 20)
    chip.write(.MCUCR, 0, at: 25)
    #expect(chip.system.vectorsInBootSection)
  }

  @Test func `SMCR selects the sleep mode`() {
    var chip = Peripherals()
    for (value, mode) in [
      (UInt8(0), SleepMode?.none), (1, .idle), (3, .adcNoiseReduction), (5, .powerDown),
      (7, .powerSave), (13, .standby), (15, .extendedStandby), (9, nil),
    ] {
      chip.write(.SMCR, value)
      #expect(chip.system.sleepMode == mode)
    }
  }

  @Test func `Deep sleep stops the timers and USART0, but idle does not`() {
    var chip = USARTTests.chip()
    chip.write(.TCCR0B, 2)
    chip.write(.TIMSK0, 1)
    chip.write(.UDR0, 1, at: 0)
    chip.sleep(.idle, at: 80)
    chip.wake(at: 100)
    chip.sleep(.powerDown, at: 1003)
    #expect(chip.nextEvent == .max)
    #expect(chip.read(.TCNT0, at: 50_000) == 125)
    chip.wake(at: 1_001_003)
    #expect(chip.read(.TCNT0, at: 1_001_007) == 125)
    #expect(chip.read(.TCNT0, at: 1_001_008) == 126)
    #expect(chip.interrupt(after: 1_001_008, by: 2_000_000)?.cycle == 1_002_048)
    #expect(chip.read(.UCSR0A, at: 1_016_639) == 0x22)
    #expect(chip.read(.UCSR0A, at: 1_016_640) == 0x62)
  }

  @Test func `An ADC conversion begins at an edge of its prescaler, which ADEN starts`() {
    var chip = Peripherals()
    chip.write(.ADCSRA, 0x87)
    // The next multiple of 128.
    chip.write(.ADCSRA, 0xC7, at: 1000)
    #expect(chip.read(.ADCSRA, at: 1024 + 3199) == 0xC7)
    #expect(chip.read(.ADCSRA, at: 1024 + 3200) == 0x97)
    chip.write(.ADCSRA, 0xD7, at: 10_000)
    #expect(chip.read(.ADCSRA, at: 10_112 + 1663) == 0xC7)
    #expect(chip.read(.ADCSRA, at: 10_112 + 1664) == 0x97)
    #expect(chip.notices.isEmpty)
  }

  @Test(
    arguments: [
      (1, 50), (2, 500), (3, 100), (4, 256), (5, 201), (6, 0x1_0000), (7, 700),
    ] as [(UInt8, UInt64)])
  func `Each trigger of the ADC begins a conversion, in either order of its two settings`(
    source: UInt8, begin: UInt64
  ) {
    for isFirst in [true, false] {
      var chip = Peripherals()
      chip.apply(microvolts: 2_500_000, to: Pin(.C, 0), at: 0)
      chip.write(isFirst ? .ADCSRA : .ADCSRB, isFirst ? 0xA0 : source)
      chip.write(isFirst ? .ADCSRB : .ADCSRA, isFirst ? source : 0xA0)
      chip.write(.OCR0A, 99)
      chip.write16(.OCR1BL, 200)
      chip.write(.EICRA, 3)
      chip.write(.TCCR0B, 1)
      chip.write(.TCCR1B, 0x41)
      if source == 1 { chip.drive(Pin(.D, 6), true, at: 50) }
      chip.drive(Pin(.D, 2), true, at: 500)
      chip.drive(Pin(.B, 0), true, at: 700)
      // The first conversion takes 25 clocks of two cycles, and the synchronization three cycles.
      if begin + 52 >= 700 {
        let running = chip.read(.ADCSRA, at: begin + 52)
        #expect(running == 0xE0, "\(source)")
      }
      let finished = chip.read(.ADCSRA, at: max(700, begin + 53))
      #expect(finished == 0xB0, "\(source)")
      #expect(chip.read(.ADCL, at: 70_000) == 0)
      #expect(chip.read(.ADCH, at: 70_000) == 2)
    }
  }

  @Test func `Using a feature that is not emulated is reported once`() {
    var chip = Peripherals()
    for _ in 0..<2 {
      chip.write(.SPCR, 0x50)
      chip.write(.TWCR, 0x04)
      chip.write(.ASSR, 0x20)
      chip.write(.CLKPR, 0x80)
      chip.write(.CLKPR, 0x01)
    }
    #expect(chip.notices == ["a device on SPI", "ASSR", "CLKPR"])
  }
}
