import Testing

@testable import AVR

/// The figures come from the data sheet's mode tables and timing diagrams, and were worked out by
/// hand.
@Suite("Timer modes")
struct TimerModeTests {
  /// A way to run a timer: the registers to write, and the cycles of its first two overflows.
  struct Overflow: CustomTestStringConvertible {
    var testDescription: String
    var writes: [(Register, UInt8)]
    var mask: Register
    var vector: UInt8
    /// Nil if it never overflows.
    var first: UInt64?
    var second: UInt64?
  }

  static let overflows: [Overflow] = [
    // The step from MAX to BOTTOM is the 256th edge.
    Overflow(
      testDescription: "Timer 0 normal, clk/1", writes: [(.TCCR0B, 1)], mask: .TIMSK0,
      vector: 16, first: 256, second: 512),
    Overflow(
      testDescription: "Timer 0 as the Arduino core sets it up, fast PWM, clk/64",
      writes: [(.TCCR0A, 3), (.TCCR0B, 3)], mask: .TIMSK0, vector: 16, first: 16_384,
      second: 32_768),
    Overflow(
      testDescription: "Timer 0 phase correct, clk/1: BOTTOM is left at the 511th edge",
      writes: [(.TCCR0A, 1), (.TCCR0B, 1)], mask: .TIMSK0, vector: 16, first: 511, second: 1021),
    Overflow(
      testDescription: "Timer 0 CTC never reaches MAX",
      writes: [(.OCR0A, 99), (.TCCR0A, 2), (.TCCR0B, 1)], mask: .TIMSK0, vector: 16, first: nil,
      second: nil),
    Overflow(
      testDescription: "Timer 0 fast PWM to OCR0A: at TOP",
      writes: [(.OCR0A, 99), (.TCCR0A, 3), (.TCCR0B, 0b1001)], mask: .TIMSK0, vector: 16,
      first: 100, second: 200),
    Overflow(
      testDescription: "Timer 2 normal, clk/32", writes: [(.TCCR2B, 3)], mask: .TIMSK2,
      vector: 9, first: 8192, second: 16_384),
    Overflow(
      testDescription: "Timer 2 normal, clk/128", writes: [(.TCCR2B, 5)], mask: .TIMSK2,
      vector: 9, first: 32_768, second: 65_536),
    Overflow(
      testDescription: "Timer 2 phase correct to OCR2A, clk/8",
      writes: [(.OCR2A, 100), (.TCCR2A, 1), (.TCCR2B, 0b1010)], mask: .TIMSK2, vector: 9,
      first: 8 * 201, second: 8 * 401),
    Overflow(
      testDescription: "Timer 1 normal, clk/8", writes: [(.TCCR1B, 2)], mask: .TIMSK1,
      vector: 13, first: 524_288, second: 1_048_576),
    Overflow(
      testDescription: "Timer 1 fast PWM, 9 bits: at TOP",
      writes: [(.TCCR1A, 2), (.TCCR1B, 0b1001)], mask: .TIMSK1, vector: 13, first: 512,
      second: 1024),
    Overflow(
      testDescription: "Timer 1 phase correct, 10 bits",
      writes: [(.TCCR1A, 3), (.TCCR1B, 1)], mask: .TIMSK1, vector: 13, first: 2047,
      second: 2047 + 2046),
    Overflow(
      testDescription: "Timer 1 phase and frequency correct to ICR1",
      writes: [(.TCCR1B, 0b10000), (.ICR1H, 0), (.ICR1L, 50), (.TCCR1B, 0b10001)],
      mask: .TIMSK1, vector: 13, first: 101, second: 201),
  ]

  @Test(arguments: overflows)
  func `A timer overflows at the cycles that its mode defines`(_ row: Overflow) {
    var chip = Peripherals()
    for (register, value) in row.writes { chip.write(register, value) }
    chip.write(row.mask, 1)
    let first = chip.interrupt(by: 2_000_000)
    #expect(first == row.first.map { Interrupt(cycle: $0, vector: row.vector) })
    guard let first else { return }
    chip.acknowledge(row.vector, at: first.cycle)
    #expect(!chip.isInterruptPending)
    let second = chip.interrupt(after: first.cycle, by: 4_000_000)
    #expect(second == row.second.map { Interrupt(cycle: $0, vector: row.vector) })
  }

  /// A pin that a timer drives: the edges of one period, from the second period on.
  struct Pulse: CustomTestStringConvertible {
    var testDescription: String
    var writes: [(Register, UInt8)]
    var pin: Pin
    var rise: UInt64
    var high: UInt64
    var period: UInt64
  }

  static let pulses: [Pulse] = [
    Pulse(
      testDescription: "OC0A fast: OCR + 1 clocks",
      writes: [(.DDRD, 0x40), (.OCR0A, 63), (.TCCR0A, 0x83), (.TCCR0B, 1)], pin: Pin(.D, 6),
      rise: 256, high: 64, period: 256),
    Pulse(
      testDescription: "OC0B fast, inverting, clk/8: high for the rest",
      writes: [(.DDRD, 0x20), (.OCR0B, 63), (.TCCR0A, 0x33), (.TCCR0B, 2)], pin: Pin(.D, 5),
      rise: 64 * 8, high: 192 * 8, period: 256 * 8),
    Pulse(
      testDescription: "OC0A fast with 0: a spike of one clock",
      writes: [(.DDRD, 0x40), (.OCR0A, 0), (.TCCR0A, 0x83), (.TCCR0B, 1)], pin: Pin(.D, 6),
      rise: 256, high: 1, period: 256),
    Pulse(
      testDescription: "OC2A phase correct: 2 OCR clocks around BOTTOM",
      writes: [(.DDRB, 0x08), (.OCR2A, 100), (.TCCR2A, 0x81), (.TCCR2B, 1)], pin: Pin(.B, 3),
      rise: 510 - 100 + 1, high: 200, period: 510),
    Pulse(
      testDescription: "OC2B phase correct, inverting: 2 (TOP - OCR) around TOP",
      writes: [(.DDRD, 0x08), (.OCR2B, 100), (.TCCR2A, 0x31), (.TCCR2B, 1)], pin: Pin(.D, 3),
      rise: 510 + 101, high: 310, period: 510),
    Pulse(
      testDescription: "OC0A toggled in CTC: half the match frequency",
      writes: [(.DDRD, 0x40), (.OCR0A, 9), (.TCCR0A, 0x42), (.TCCR0B, 1)], pin: Pin(.D, 6),
      rise: 10, high: 10, period: 20),
    Pulse(
      testDescription: "OC0A toggled in fast PWM to OCR0A",
      writes: [(.DDRD, 0x40), (.OCR0A, 9), (.TCCR0A, 0x43), (.TCCR0B, 0b1001)], pin: Pin(.D, 6),
      rise: 10, high: 10, period: 20),
    Pulse(
      testDescription: "OC1A as a servo: fast PWM to ICR1, clk/8, 1500 us in 20 ms",
      writes: [
        (.DDRB, 0x02), (.TCCR1A, 0x82), (.TCCR1B, 0b11000), (.ICR1H, 0x9C), (.ICR1L, 0x3F),
        (.OCR1AH, 0x0B), (.OCR1AL, 0xB7), (.TCCR1B, 0b11010),
      ], pin: Pin(.B, 1), rise: 320_000, high: 24_000, period: 320_000),
    Pulse(
      testDescription: "OC1B phase and frequency correct to OCR1A",
      writes: [
        (.DDRB, 0x04), (.OCR1AH, 1), (.OCR1AL, 0), (.OCR1BH, 0), (.OCR1BL, 64), (.TCCR1A, 0x21),
        (.TCCR1B, 0b10001),
      ], pin: Pin(.B, 2), rise: 512 - 64 + 1, high: 128, period: 512),
  ]

  @Test(arguments: pulses)
  func `A timer's pin is high for the time that its mode defines`(_ row: Pulse) {
    var chip = Peripherals()
    for (register, value) in row.writes { chip.write(register, value) }
    let edges = chip.edges(of: row.pin, until: row.rise + 3 * row.period)
      .filter { $0.cycle >= row.rise }
    let expected = (0..<3).flatMap { period in
      let rise = row.rise + UInt64(period) * row.period
      return [Edge(rise, true), Edge(rise + row.high, false)]
    }
    #expect(Array(edges.prefix(6)) == expected)
  }

  @Test(arguments: [
    // Fast PWM with TOP: high for the whole period, or low if inverted.
    (UInt8(0x83), UInt8(1), UInt8(0xFF), true), (0xC3, 1, 0xFF, false),
    // Phase correct PWM: constant at both ends.
    (0x81, 1, 0xFF, true), (0x81, 1, 0, false), (0xC1, 1, 0xFF, false), (0xC1, 1, 0, true),
  ])
  func `A PWM output at an end of its range stays constant`(
    tccrA: UInt8, tccrB: UInt8, ocr: UInt8, isHigh: Bool
  ) {
    var chip = Peripherals()
    chip.write(.OCR0A, ocr)
    chip.write(.DDRD, 0x40)
    chip.write(.TCCR0A, tccrA)
    chip.write(.TCCR0B, tccrB)
    chip.advance(to: 1100)
    let before = chip.events.count
    chip.advance(to: 5000)
    #expect(chip.events.count == before)
    #expect(chip.level(of: Pin(.D, 6)) == isHigh)
  }

  @Test func `A compare flag is set one timer clock after the match, whether or not it is read`() {
    var chip = Peripherals()
    chip.write(.OCR0A, 10)
    chip.write(.OCR0B, 12)
    chip.write(.TCCR0B, 2)
    // The count is 10 from cycle 80.
    #expect(chip.read(.TIFR0, at: 87) == 0)
    #expect(chip.read(.TIFR0, at: 88) == 2)
    #expect(chip.read(.TCNT0, at: 88) == 11)
    #expect(chip.read(.TIFR0, at: 104) == 6)
    #expect(chip.read(.TIFR0, at: 2047) == 6)
    #expect(chip.read(.TIFR0, at: 2048) == 7)
    chip.write(.TIFR0, 0b010, at: 2049)
    #expect(chip.read(.TIFR0, at: 2049) == 5)
    chip.set(.TIFR0, bit: 0, at: 2050)
    #expect(chip.read(.TIFR0, at: 2050) == 4)
    // All flags are set again much later.
    #expect(chip.read(.TIFR0, at: 1_000_000_000) == 7)
    #expect(chip.nextEvent == .max)
  }

  @Test func `ICR1 as TOP sets ICF1 at TOP`() {
    var chip = Peripherals()
    chip.write(.TCCR1B, 0b11000)
    chip.write16(.ICR1L, 999)
    chip.write(.TIMSK1, 0x20)
    chip.write(.TCCR1B, 0b11001)
    #expect(chip.interrupt(by: 5000) == Interrupt(cycle: 1000, vector: 10))
  }
}
