import AVR
import Testing

@Suite struct SteppingTests {
  /// Counts up in R16 forever, while every overflow of Timer 0 interrupts it.
  private static let program: [UInt16] = {
    var words = [UInt16](repeating: 0x9518, count: 64)  // RETI
    words[0] = 0xC03F  // RJMP 64
    words += [
      0xE011,  // LDI R17, 1
      0x9310, 0x006E,  // STS TIMSK0, R17: overflow
      0xBD15,  // OUT TCCR0B, R17: the CPU's clock
      0x9478,  // SEI
      0x9503,  // INC R16
      0x0000,  // NOP
      0xCFFD,  // RJMP to INC
    ]
    return words
  }()
  private static let increment: UInt16 = 69 * 2

  private static func makeChip() -> ATmega328P {
    ATmega328P(flash: [(address: 0, bytes: program.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })])
  }

  @Test(arguments: [1, 7, 255, 256, 1_000, 1 << 40] as [UInt64])
  func `A run stops once before each execution of an address, even with interrupts`(
    _ slice: UInt64
  ) {
    var chip = Self.makeChip()
    var count = 0
    let end: UInt64 = 20_000
    while chip.cycle < end {
      let target = min(end, chip.cycle + slice)
      while chip.run(until: target, before: [Self.increment]) {
        #expect(chip.programCounter == Self.increment)
        #expect(chip[data: 16] == UInt8(truncatingIfNeeded: count))
        count += 1
        chip.run(until: chip.cycle + 1)
      }
    }
    #expect(count > 3_000)
    #expect(chip[data: 16] == UInt8(truncatingIfNeeded: count))
    var whole = Self.makeChip()
    whole.run(until: chip.cycle)
    #expect(whole.cycle == chip.cycle && whole.programCounter == chip.programCounter)
    #expect(whole[data: 16] == chip[data: 16])
  }

  @Test func `A run without stop addresses ends at its target cycle`() {
    var chip = Self.makeChip()
    let hasStopped = chip.run(until: 5_000, before: [])
    #expect(!hasStopped)
    #expect(chip.cycle >= 5_000 && chip.cycle < 5_010)
  }
}
