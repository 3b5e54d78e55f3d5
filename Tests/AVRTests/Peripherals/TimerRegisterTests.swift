import Testing

@testable import AVR

@Suite("Timer registers")
struct TimerRegisterTests {
  @Test func `TCNT1 reads as one value even if its bytes are read at different times`() {
    var chip = Peripherals()
    chip.write16(.TCNT1L, 0x01FE)
    chip.write(.TCCR1B, 1)
    #expect(chip.read(.TCNT1L, at: 1) == 0xFF)
    // The count is 0x0203 by now.
    #expect(chip.read(.TCNT1H, at: 5) == 0x01)
    #expect(chip.read16(.TCNT1L, at: 6) == 0x0204)
  }

  @Test func `A 16-bit write takes effect when the low byte is written`() {
    var chip = Peripherals()
    chip.write(.OCR1AH, 0x12)
    #expect(chip.read16(.OCR1AL, at: 0) == 0)
    chip.write(.OCR1AL, 0x34)
    #expect(chip.read16(.OCR1AL, at: 0) == 0x1234)
    // All 16-bit registers share one high byte.
    chip.write(.OCR1BL, 0x56)
    #expect(chip.read16(.OCR1BL, at: 0) == 0x1256)
  }

  @Test func `A new width takes effect in the next period in fast PWM`() {
    var chip = Peripherals()
    chip.write(.DDRD, 0x40)
    chip.write(.OCR0A, 99)
    chip.write(.TCCR0A, 0x83)
    chip.write(.TCCR0B, 1)
    chip.write(.OCR0A, 199, at: 300)
    #expect(chip.read(.OCR0A, at: 301) == 199)
    let edges = chip.edges(of: Pin(.D, 6), until: 800)
    #expect(
      edges == [
        Edge(256, true), Edge(356, false), Edge(512, true), Edge(712, false), Edge(768, true),
      ])
  }

  @Test func `A new width takes effect at TOP in phase correct PWM`() {
    var chip = Peripherals()
    chip.write(.OCR2A, 100)
    chip.write(.DDRB, 0x08)
    chip.write(.TCCR2A, 0x81)
    chip.write(.TCCR2B, 1)
    chip.write(.OCR2A, 50, at: 600)
    let edges = chip.edges(of: Pin(.B, 3), until: 1100)
    #expect(
      edges == [
        Edge(1, true), Edge(101, false), Edge(411, true), Edge(611, false),
        Edge(510 * 2 - 49, true), Edge(510 * 2 + 51, false),
      ])
  }

  @Test func `A new compare value takes effect at once in CTC mode`() {
    var chip = Peripherals()
    chip.write(.OCR0A, 200)
    chip.write(.TCCR0A, 2)
    chip.write(.TCCR0B, 1)
    chip.write(.TIMSK0, 2)
    chip.write(.OCR0A, 100, at: 50)
    #expect(chip.interrupt(after: 50, by: 500) == Interrupt(cycle: 101, vector: 14))
  }

  @Test func `A new TOP below the count takes effect only after the count passes MAX`() {
    var chip = Peripherals()
    chip.write(.OCR0A, 200)
    chip.write(.TCCR0A, 2)
    chip.write(.TCCR0B, 1)
    chip.write(.TIMSK0, 3)
    chip.write(.OCR0A, 20, at: 50)
    #expect(chip.interrupt(after: 50, by: 500) == Interrupt(cycle: 256, vector: 16))
    chip.acknowledge(16, at: 256)
    #expect(chip.interrupt(after: 256, by: 500) == Interrupt(cycle: 256 + 21, vector: 14))
  }

  @Test func `A write to TCNT0 suppresses the match on the next clock`() {
    var chip = Peripherals()
    chip.write(.OCR0A, 30)
    chip.write(.OCR0B, 0xFF)
    chip.write(.TCCR0B, 1)
    chip.write(.TCNT0, 30, at: 100)
    #expect(chip.read(.TCNT0, at: 100) == 30)
    #expect(chip.read(.TCNT0, at: 101) == 31)
    #expect(chip.read(.TIFR0, at: 101) == 2, "set at cycle 31")
    chip.write(.TIFR0, 2, at: 102)
    #expect(chip.read(.TIFR0, at: 150) == 0)
    chip.write(.TCNT0, 29, at: 150)
    #expect(chip.read(.TIFR0, at: 151) == 0)
    #expect(chip.read(.TIFR0, at: 152) == 2)
  }

  @Test func `The prescaler of Timers 0 and 1 keeps running when the clock selection changes`() {
    var chip = Peripherals()
    chip.write(.TCCR0B, 3, at: 100)
    #expect(chip.read(.TCNT0, at: 127) == 0)
    #expect(chip.read(.TCNT0, at: 128) == 1)
    // The edges of clk/8 are at multiples of 8.
    chip.write(.TCCR0B, 2, at: 130)
    #expect(chip.read(.TCNT0, at: 135) == 1)
    #expect(chip.read(.TCNT0, at: 136) == 2)
    chip.write(.TCCR1B, 3, at: 140)
    #expect(chip.read16(.TCNT1L, at: 191) == 0)
    #expect(chip.read16(.TCNT1L, at: 192) == 1)
  }

  @Test func `PSRSYNC restarts the prescaler of Timers 0 and 1, but not that of Timer 2`() {
    var chip = Peripherals()
    chip.write(.TCCR0B, 3)
    chip.write(.TCCR2B, 4)
    chip.write(.GTCCR, 1, at: 50)
    #expect(chip.read(.GTCCR, at: 51) == 0)
    #expect(chip.read(.TCNT0, at: 113) == 0)
    #expect(chip.read(.TCNT0, at: 114) == 1)
    #expect(chip.read(.TCNT2, at: 64) == 1)
    chip.write(.GTCCR, 2, at: 120)
    #expect(chip.read(.TCNT2, at: 183) == 1)
    #expect(chip.read(.TCNT2, at: 184) == 2)
  }

  @Test func `TSM holds Timers 0 and 1 until it is cleared`() {
    var chip = Peripherals()
    chip.write(.TCCR0B, 1)
    chip.write(.TCCR1B, 2)
    chip.write(.TCCR2B, 1)
    chip.write(.GTCCR, 0x81, at: 100)
    #expect(chip.read(.GTCCR, at: 101) == 0x81)
    #expect(chip.read(.TCNT0, at: 200) == 100)
    #expect(chip.read(.TCNT2, at: 200) == 200)
    chip.write(.GTCCR, 0, at: 203)
    #expect(chip.read(.TCNT0, at: 204) == 101)
    #expect(chip.read16(.TCNT1L, at: 210) == 12)
    #expect(chip.read16(.TCNT1L, at: 211) == 13)
  }

  @Test func `FOC changes the pin but neither the flag nor the count`() {
    var chip = Peripherals()
    chip.write(.DDRD, 0x40)
    chip.write(.TCCR0A, 0xC2)
    chip.write(.TCCR0B, 0x80, at: 10)
    #expect(chip.edges(of: Pin(.D, 6), until: 20) == [Edge(10, true)])
    #expect(chip.read(.TCCR0B, at: 20) == 0)
    #expect(chip.read(.TIFR0, at: 20) == 0)
    chip.write(.TCCR1A, 0x30, at: 30)
    chip.write(.DDRB, 0x04, at: 30)
    chip.write(.TCCR1C, 0x40, at: 31)
    #expect(chip.edges(of: Pin(.B, 2), until: 40) == [Edge(31, true)])
  }

  @Test func `Timer 1 toggles only OC1A in PWM, and only if OCR1A or ICR1 is TOP`() {
    for (WGM, toggles) in [(UInt8(15), true), (14, true), (11, true), (9, true), (5, false)] {
      var chip = Peripherals()
      chip.write(.DDRB, 0x06)
      chip.write(.TCCR1A, 0x50 | WGM & 3)
      chip.write(.TCCR1B, (WGM & 12) << 1)
      if WGM == 14 { chip.write16(.ICR1L, 50) }
      chip.write16(.OCR1AL, 50)
      chip.write16(.OCR1BL, 20)
      chip.write(.TCCR1B, (WGM & 12) << 1 | 1)
      #expect(chip.edges(of: Pin(.B, 1), until: 1000).isEmpty == !toggles, "WGM \(WGM)")
      #expect(chip.edges(of: Pin(.B, 2), until: 1000).isEmpty, "WGM \(WGM)")
    }
  }

  @Test func `An edge on ICP1 copies the count to ICR1`() {
    var chip = Peripherals()
    chip.write(.TIMSK1, 0x20)
    chip.write(.TCCR1B, 0x41)
    chip.drive(Pin(.B, 0), true, at: 1234)
    #expect(chip.pendingVector() == 10)
    #expect(chip.read16(.ICR1L, at: 2000) == 1234)
    chip.acknowledge(10, at: 2001)
    chip.drive(Pin(.B, 0), false, at: 3000)
    #expect(chip.pendingVector() == nil)
  }

  @Test func `A timer whose PRR bit is set stops`() {
    var chip = Peripherals()
    chip.write(.TCCR2B, 1)
    chip.write(.PRR, 0x40, at: 10)
    #expect(chip.read(.TCNT2, at: 50) == 10)
    chip.write(.PRR, 0, at: 60)
    #expect(chip.read(.TCNT2, at: 65) == 15)
  }
}
