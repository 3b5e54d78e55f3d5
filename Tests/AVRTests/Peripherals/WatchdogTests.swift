import Testing

@testable import AVR

@Suite("The watchdog")
struct WatchdogTests {
  /// Writes twice, two cycles apart, as avr-libc's wdt_enable and a handler's set-up do.
  func set(_ chip: inout Peripherals, _ value: UInt8, at cycle: UInt64) {
    chip.write(.WDTCSR, 0x18, at: cycle)
    chip.write(.WDTCSR, value, at: cycle + 2)
  }

  @Test(arguments: 0..<10)
  func `The watchdog times out after 16 ms to 8 s of its own clock`(exponent: UInt8) {
    var chip = Peripherals()
    let prescaler = (exponent & 8) << 2 | exponent & 7
    set(&chip, 0x40 | prescaler, at: 100)
    // The time counts from the first write, which set WDE.
    let expected: UInt64 = 100 + 256_000 << UInt64(exponent)
    #expect(chip.interrupt(by: .max - 1) == Interrupt(cycle: expected, vector: 6))
    #expect(chip.takePendingReset() == nil)
  }

  @Test(
    arguments: [
      (8_000_000, 128_000), (20_000_000, 320_000), (1_000_000, 16_000), (7_372_800, 117_964),
    ] as [(UInt32, UInt64)])
  func `The watchdog's time does not depend on the chip's clock`(
    hertz: UInt32, cycles: UInt64
  ) throws {
    var chip = Peripherals(.atmega328p, try #require(ClockRate(hertz: hertz)))
    set(&chip, 0x40, at: 100)
    #expect(chip.interrupt(by: .max - 1) == Interrupt(cycle: 100 + cycles, vector: 6))
  }

  @Test func `WDR postpones the time-out`() {
    var chip = Peripherals()
    set(&chip, 0x08, at: 0)
    chip.resetWatchdog(at: 200_000)
    chip.advance(to: 455_999)
    #expect(chip.takePendingReset() == nil)
    chip.advance(to: 456_000)
    #expect(chip.takePendingReset() == .watchdog)
    #expect(chip.takePendingReset() == nil)
  }

  @Test func `In interrupt and reset mode, the first time-out interrupts and the second resets`() {
    var chip = Peripherals()
    set(&chip, 0x48, at: 0)
    #expect(chip.interrupt(by: 300_000) == Interrupt(cycle: 256_000, vector: 6))
    chip.acknowledge(6, at: 256_010)
    #expect(chip.read(.WDTCSR, at: 256_011) == 0x08, "WDIE is cleared too")
    chip.advance(to: 512_000)
    #expect(chip.takePendingReset() == .watchdog)
  }

  @Test func `The watchdog never resets the chip in interrupt mode`() {
    var chip = Peripherals()
    set(&chip, 0x40, at: 0)
    chip.advance(to: 10_000_000)
    #expect(chip.takePendingReset() == nil)
    chip.acknowledge(6, at: 10_000_001)
    #expect(chip.read(.WDTCSR, at: 10_000_002) == 0x40)
  }

  @Test func `WDE and the time-out can be changed only by the timed sequence`() {
    var chip = Peripherals()
    set(&chip, 0x0E, at: 0)
    chip.write(.WDTCSR, 0x00, at: 100)
    #expect(chip.read(.WDTCSR, at: 101) == 0x0E)
    chip.write(.WDTCSR, 0x18, at: 200)
    chip.write(.WDTCSR, 0x00, at: 205)
    #expect(chip.read(.WDTCSR, at: 206) == 0x0E, "a cycle too late")
    chip.write(.WDTCSR, 0x18, at: 300)
    chip.write(.WDTCSR, 0x00, at: 304)
    #expect(chip.read(.WDTCSR, at: 305) == 0)
    #expect(chip.nextEvent == .max)
  }

  @Test func `Clearing WDRF leaves WDE set, so the watchdog resets the chip again`() {
    var chip = Peripherals()
    set(&chip, 0x0E, at: 0)
    chip.reset(.watchdog, at: 1000)
    chip.write(.MCUSR, 0, at: 1010)
    #expect(chip.read(.WDTCSR, at: 1011) == 0x08)
    chip.advance(to: 257_000)
    #expect(chip.takePendingReset() == .watchdog)
  }

  @Test func `The watchdog stays on at 16 ms after its reset, until WDRF and WDE are cleared`() {
    var chip = Peripherals()
    set(&chip, 0x0E, at: 0)
    chip.reset(.watchdog, at: 1000)
    #expect(chip.read(.MCUSR, at: 1001) == 0b1001)
    #expect(chip.read(.WDTCSR, at: 1001) == 0x08)
    set(&chip, 0x00, at: 1010)
    #expect(chip.read(.WDTCSR, at: 1013) == 0x08)
    chip.advance(to: 256_999)
    #expect(chip.takePendingReset() == nil)
    chip.advance(to: 257_000)
    #expect(chip.takePendingReset() == .watchdog)
    chip.write(.MCUSR, 0, at: 257_001)
    set(&chip, 0x00, at: 257_002)
    #expect(chip.nextEvent == .max)
  }
}
