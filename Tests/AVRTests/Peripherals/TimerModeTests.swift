import Testing

@testable import AVR

/// "The OC0x Register is set at the clock cycle the counter is cleared (changes from TOP to
/// BOTTOM)" (data sheet, "Fast PWM Mode"), and so not when a count past TOP wraps from MAX.
@Suite("Wraps from MAX")
struct WrapTests {
  /// A timer whose unit drives a pin in a fast PWM mode.
  struct Setting: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var modes: [(Register, UInt8)]
    /// TOP is fixed, or what these registers hold.
    var top: [(Register, UInt8)]
    var OCR: [Register]
    var TCNT: [Register]
    var maximum: UInt16
    var pin: Pin
  }

  /// Inverting outputs, with TOP at 0 where it can be set, otherwise fixed.
  static let settings: [Setting] = [
    Setting(
      testDescription: "Timer 0, mode 7", modes: [(.TCCR0A, 0x33), (.TCCR0B, 0x09)],
      top: [(.OCR0A, 0)], OCR: [.OCR0B], TCNT: [.TCNT0], maximum: 0xFF, pin: Pin(.D, 5)),
    Setting(
      testDescription: "Timer 2, mode 7", modes: [(.TCCR2A, 0x33), (.TCCR2B, 0x09)],
      top: [(.OCR2A, 0)], OCR: [.OCR2B], TCNT: [.TCNT2], maximum: 0xFF, pin: Pin(.D, 3)),
    Setting(
      testDescription: "Timer 1, mode 15", modes: [(.TCCR1A, 0x33), (.TCCR1B, 0x19)],
      top: [(.OCR1AH, 0), (.OCR1AL, 0)], OCR: [.OCR1BH, .OCR1BL], TCNT: [.TCNT1H, .TCNT1L],
      maximum: 0xFFFF, pin: Pin(.B, 2)),
    Setting(
      testDescription: "Timer 1, mode 14", modes: [(.TCCR1A, 0x32), (.TCCR1B, 0x19)],
      top: [(.ICR1H, 0), (.ICR1L, 0)], OCR: [.OCR1BH, .OCR1BL], TCNT: [.TCNT1H, .TCNT1L],
      maximum: 0xFFFF, pin: Pin(.B, 2)),
  ]

  @Test(arguments: settings)
  func `A pulse that begins before MAX ends at the next TOP`(_ setting: Setting) {
    var chip = Peripherals()
    chip.write(.DDRB, 4)
    chip.write(.DDRD, 0x28)
    for (register, value) in setting.top + setting.modes { chip.write(register, value) }
    func write(_ value: UInt16, _ registers: [Register], at cycle: UInt64) {
      for (index, register) in registers.enumerated() {
        let isLow = index == registers.count - 1
        chip.write(register, UInt8(truncatingIfNeeded: isLow ? value : value >> 8), at: cycle)
      }
    }
    var expected: [Edge] = []
    for length in UInt64(1)...5 {
      let start = length * 1_000
      let OCR = setting.maximum - UInt16(length) + 1
      write(OCR, setting.OCR, at: start)
      // The buffer is taken over at BOTTOM.
      write(OCR - 1, setting.TCNT, at: start + 10)
      // The count reaches OCR after one cycle, and the output follows one later.
      expected += [Edge(start + 12, true), Edge(start + 12 + length, false)]
    }
    #expect(chip.edges(of: setting.pin, until: 9_000) == expected)
  }

  @Test func `With a fixed TOP, a count above it wraps from MAX without an edge`() {
    var chip = Peripherals()
    chip.write(.DDRB, 2)
    // Mode 5: TOP is 0xFF. OC1A is cleared at a match and set at TOP.
    chip.write(.TCCR1A, 0x81)
    chip.write16(.OCR1AL, 9)
    chip.write(.TCCR1B, 0x09)
    let first = chip.edges(of: Pin(.B, 1), until: 300)
    #expect(first == [Edge(256, true), Edge(266, false)])
    chip.write16(.TCNT1L, 0x200, at: 300)
    // 0xFE00 cycles to the wrap, ten to a match, which leaves it low, and then to TOP.
    let later = chip.edges(of: Pin(.B, 1), until: 300 + 0xFE00 + 256)
    #expect(Array(later.dropFirst(2)) == [Edge(300 + 0xFE00 + 256, true)])
  }
}

/// Outputs that are too fast for anything that follows them.
@Suite("Quiet outputs")
struct QuietOutputTests {
  /// Each timer toggles a pin at 8 MHz.
  private static let clocks: [(writes: [(Register, UInt8)], pin: Pin)] = [
    ([(.TCCR0A, 0x42), (.TCCR0B, 1)], Pin(.D, 6)),
    ([(.TCCR0A, 0x12), (.TCCR0B, 1)], Pin(.D, 5)),
    ([(.TCCR1A, 0x40), (.TCCR1B, 0x09)], Pin(.B, 1)),
    ([(.TCCR1A, 0x10), (.TCCR1B, 0x09)], Pin(.B, 2)),
    ([(.TCCR2A, 0x42), (.TCCR2B, 1)], Pin(.B, 3)),
    ([(.TCCR2A, 0x12), (.TCCR2B, 1)], Pin(.D, 3)),
  ]

  private static func chip(_ index: Int, watched: Bool) -> Peripherals {
    var chip = Peripherals()
    if !watched { chip.set(PinWatch(wires: []), at: 0) }
    chip.write(.DDRB, 0x0E)
    chip.write(.DDRD, 0x68)
    for (register, value) in clocks[index].writes { chip.write(register, value) }
    return chip
  }

  @Test(arguments: 0..<6)
  func `A clock output of 8 MHz has an event for each edge only if its pin is watched`(_ index: Int)
  {
    var watched = Self.chip(index, watched: true)
    #expect(watched.edges(of: Self.clocks[index].pin, until: 1_000).count == 1_000)
    var quiet = Self.chip(index, watched: false)
    #expect(quiet.nextEvent == .max)
    #expect(quiet.edges(of: Self.clocks[index].pin, until: 16_000_000).isEmpty)
    // From when it is watched, it is as if it had always been.
    quiet.set(PinWatch(), at: 16_000_100)
    let edges = quiet.edges(of: Self.clocks[index].pin, until: 16_000_110)
    #expect(edges.filter { $0.cycle > 16_000_100 }.count == 10)
  }

  @Test(arguments: 0..<6)
  func `The program reads such a pin at each cycle as if it were watched`(_ index: Int) {
    let register: Register = Self.clocks[index].pin.port == .B ? .PINB : .PIND
    for cycle in UInt64(101)..<130 {
      var watched = Self.chip(index, watched: true)
      var quiet = Self.chip(index, watched: false)
      watched.advance(to: cycle)
      quiet.advance(to: cycle)
      #expect(quiet.peek(register.rawValue, at: cycle) == nil)
      #expect(quiet.read(register, at: cycle) == watched.read(register, at: cycle))
    }
  }

  @Test func `What on the chip follows a pin still does`() {
    // What is set up, and the register that shows it after some time.
    let rows: [(index: Int, setup: [(Register, UInt8)], shown: Register)] = [
      (2, [(.PCICR, 1), (.PCMSK0, 2)], .PCIFR), (5, [(.EICRA, 4)], .EIFR),
      (1, [(.TCCR1B, 7)], .TCNT1L), (0, [], .ACSR), (0, [(.ACSR, 0x13)], .ACSR),
    ]
    for row in rows {
      var values: [UInt8] = []
      for isWatched in [true, false] {
        var chip = Self.chip(row.index, watched: isWatched)
        for (register, value) in row.setup { chip.write(register, value, at: 20) }
        values.append(chip.read(row.shown, at: 201))
      }
      #expect(values[0] == values[1] && values[0] != 0, "\(row.shown)")
    }
  }

  /// Whatever the level was that was not followed, it is no edge for what begins to follow the pin.
  @Test func `What begins to follow a pin sees the same as if it had always been followed`() {
    let rows: [(index: Int, setup: [(Register, UInt8)], shown: Register)] = [
      (2, [(.PCICR, 1), (.PCMSK0, 2)], .PCIFR), (5, [(.EICRA, 4)], .EIFR),
      (5, [(.EIMSK, 2)], .EIFR), (1, [(.TCCR1B, 7)], .TCNT1L), (0, [(.ACSR, 0x80)], .ACSR),
      (0, [(.ACSR, 0x90)], .ACSR), (0, [(.ACSR, 0x80), (.ACSR, 0)], .ACSR),
      (0, [(.ADCSRB, 0x41)], .ACSR),
    ]
    for row in rows {
      for cycle in UInt64(20)..<24 {
        for delay in UInt64(0)..<4 {
          let values = [true, false].map { isWatched in
            var chip = Self.chip(row.index, watched: isWatched)
            for (register, value) in row.setup { chip.write(register, value, at: cycle) }
            return chip.read(row.shown, at: cycle + delay)
          }
          #expect(values[0] == values[1], "\(row.shown), cycle \(cycle), \(delay) later")
        }
      }
    }
  }

  @Test func `An audible output and the pulses of a servo are never left out`() {
    // 20 kHz on OC2A: 400 cycles from edge to edge; then 50 Hz on OC1A, 1.5 ms.
    var chip = Peripherals()
    chip.set(PinWatch(wires: []), at: 0)
    chip.write(.DDRB, 0x0A)
    chip.write(.TCCR2A, 0x42)
    chip.write(.OCR2A, 49)
    chip.write(.TCCR2B, 2)
    #expect(chip.edges(of: Pin(.B, 3), until: 4_000).count == 10)
    chip.write16(.ICR1L, 39_999, at: 4_000)
    chip.write16(.OCR1AL, 2_999, at: 4_000)
    chip.write(.TCCR1A, 0x82, at: 4_000)
    chip.write(.TCCR1B, 0x1A, at: 4_000)
    #expect(chip.edges(of: Pin(.B, 1), until: 1_000_000).count > 4)
  }

  @Test func `A saved chip continues with its quiet outputs`() throws {
    let program = try Assembler(
      "DDRD=0x40; TCCR0A=0x42; TCCR0B=1; loop:; in r20, PIND; rjmp loop")
    var original = program.chip
    original.set(PinWatch(wires: []))
    var chip = original
    chip.run(until: 10_001)
    var restored = try #require(ATmega328P(chip.snapshot(since: original), of: original))
    for _ in 0..<20 {
      chip.run(until: chip.cycle + 7)
      restored.run(until: restored.cycle + 7)
      #expect(chip[data: 20] == restored[data: 20] && chip.cycle == restored.cycle)
    }
    let events = restored.takeEvents()
    #expect(events == chip.takeEvents())
  }
}

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
      testDescription: "Timer 0 phase correct, clk/1: BOTTOM is left at the first edge",
      writes: [(.TCCR0A, 1), (.TCCR0B, 1)], mask: .TIMSK0, vector: 16, first: 1, second: 511),
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
      first: 8, second: 8 * 201),
    Overflow(
      testDescription: "Timer 1 normal, clk/8", writes: [(.TCCR1B, 2)], mask: .TIMSK1,
      vector: 13, first: 524_288, second: 1_048_576),
    Overflow(
      testDescription: "Timer 1 fast PWM, 9 bits: at TOP",
      writes: [(.TCCR1A, 2), (.TCCR1B, 0b1001)], mask: .TIMSK1, vector: 13, first: 512,
      second: 1024),
    Overflow(
      testDescription: "Timer 1 phase correct, 10 bits",
      writes: [(.TCCR1A, 3), (.TCCR1B, 1)], mask: .TIMSK1, vector: 13, first: 1,
      second: 2047),
    Overflow(
      testDescription: "Timer 1 phase and frequency correct to ICR1",
      writes: [(.TCCR1B, 0b10000), (.ICR1H, 0), (.ICR1L, 50), (.TCCR1B, 0b10001)],
      mask: .TIMSK1, vector: 13, first: 1, second: 101),
    Overflow(
      testDescription: "Timer 1 set to BOTTOM on its way up",
      writes: [
        (.ICR1H, 0), (.ICR1L, 50), (.TCNT1H, 0), (.TCNT1L, 9), (.TCCR1B, 0b10001), (.TCNT1H, 0),
        (.TCNT1L, 0),
      ],
      mask: .TIMSK1, vector: 13, first: 1, second: 101),
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
