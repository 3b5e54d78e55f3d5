import AVR
import Devices
import Sketches
import Testing

@testable import ChipDevice

@Suite struct ChipClockTests {
  @Test(
    arguments: [
      (16_000_000, 1, 63), (16_000_000, 2, 125), (8_000_000, 1, 125), (20_000_000, 3, 150),
      (1_000_000, 7, 7_000), (18_432_000, 18_432, 1_000_000), (18_432_000, 1, 54),
      (7_372_800, 7_372_800, 1_000_000_000), (19_999_999, 19_999_999, 1_000_000_000),
    ] as [(UInt32, UInt64, Int64)])
  func `A cycle's instant follows from the frequency`(
    _ hertz: UInt32, _ cycle: UInt64, _ nanoseconds: Int64
  ) throws {
    let clock = ChipClock(try #require(ClockRate(hertz: hertz)))
    #expect(clock.instant(of: cycle) == Instant(nanoseconds: nanoseconds))
  }

  @Test(
    arguments: [1_000_000, 7_372_800, 8_000_000, 12_000_000, 16_000_000, 18_432_000] as [UInt32])
  func `The cycle of an instant is the first that does not begin before it`(
    _ hertz: UInt32
  ) throws {
    let clock = ChipClock(try #require(ClockRate(hertz: hertz)))
    for nanoseconds in stride(from: 0, to: 1_000_000_000_000, by: 999_999_937) as StrideTo<Int64> {
      let cycle = clock.cycle(of: Instant(nanoseconds: nanoseconds))
      // Exactly: cycle / hertz >= nanoseconds / 1 000 000 000, and not for the cycle before.
      let (product, wanted) = (
        Int64(cycle).multipliedFullWidth(by: 1_000_000_000),
        nanoseconds.multipliedFullWidth(by: Int64(hertz))
      )
      #expect((product.high, product.low) >= (wanted.high, wanted.low))
      if cycle > 0 {
        let before = Int64(cycle - 1).multipliedFullWidth(by: 1_000_000_000)
        #expect((before.high, before.low) < (wanted.high, wanted.low))
      }
    }
  }

  @Test(arguments: [0, 999_999, 20_000_001] as [UInt32])
  func `Only frequencies at which the parts work are accepted`(_ hertz: UInt32) {
    #expect(ClockRate(hertz: hertz) == nil)
  }

  /// Timer 1 in fast PWM to ICR1 with clk/8 on pin 9, and the USART at 9 615 baud with clk/16.
  private static func device(_ rate: ClockRate, microseconds: UInt16) throws -> AVRDevice {
    let perMicrosecond = UInt16(rate.hertz / 8_000_000)
    let divider = UInt8(rate.hertz / 16 / 9_600 - 1)
    var sketch = ChipSketch().write(2, to: Address.ddrb)
      .write16(20_000 * perMicrosecond - 1, to: Address.icr1)
      .write16(microseconds * perMicrosecond - 1, to: Address.ocr1a)
      .write(0x82, to: Address.tccr1a).write(0x1A, to: Address.tccr1b)
      .write(divider, to: 0xC4).write(0x18, to: Address.ucsr0b)
    sketch = sketch.pause(1).write16(1_200 * perMicrosecond - 1, to: Address.ocr1a)
    sketch.wiring.rate = rate
    return try sketch.device(showsPulses: true)
  }

  @Test(arguments: [8_000_000, 16_000_000] as [UInt32])
  func `Pulses and speeds are those of the chip's clock`(_ hertz: UInt32) throws {
    var device = try Self.device(try #require(ClockRate(hertz: hertz)), microseconds: 1_500)
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(90), into: &recorder)
    #expect(device.chip.usartBaud == 9_615)
    let pulses = recorder.outputs.filter { $0.output.kind == .pulse }
    #expect(
      pulses.map(\.output).last == .pulse(microseconds: 1_200, on: nil), "\(recorder.outputs)")
    let gaps = zip(pulses, pulses.dropFirst()).map { $1.time - $0.time }
    #expect(gaps.allSatisfy { $0 == .milliseconds(20) })
    #expect(
      recorder.outputs.contains {
        if case .servo(_, 1_200, nil) = $0.output { true } else { false }
      })
  }

  @Test func `The servo library's table has eighths of the clock`() throws {
    var sketch = ChipSketch().write16(1_500 - 2, to: 0x101).write(0x40 | 9, to: 0x100)
      .write16(1_000 - 2, to: 0x101)
    sketch.tableSize = 36
    sketch.wiring.rate = try #require(ClockRate(hertz: 8_000_000))
    var device = try sketch.device()
    var recorder = Recorder()
    device.advance(to: .zero + .milliseconds(1), into: &recorder)
    #expect(
      recorder.outputs.map(\.output) == [
        .attached(microseconds: 1_500, on: try #require(BoardPin(name: "D9"))),
        .servo(degrees: 44, microseconds: 1_000, on: nil),
      ])
  }
}
