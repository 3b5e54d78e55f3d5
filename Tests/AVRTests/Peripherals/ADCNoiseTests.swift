import TestSupport
import Testing

@testable import AVR

@Suite struct ADCNoiseTests {
  /// The noise of many conversions, in steps.
  private static func sample(_ thousandths: UInt32, seed: UInt64) -> [Double] {
    var noise = ADCNoise(thousandths: thousandths, seed: seed)
    return (0..<20_000).map { _ in Double(noise.next()) / 1_000 }
  }

  @Test(arguments: [(500, 0.5), (2_000, 2.0), (30, 0.03)] as [(UInt32, Double)])
  func `The noise has the requested root mean square and no mean`(
    _ thousandths: UInt32, _ steps: Double
  ) {
    let sample = Self.sample(thousandths, seed: 7)
    let mean = sample.reduce(0, +) / Double(sample.count)
    let square = sample.reduce(0) { $0 + $1 * $1 } / Double(sample.count)
    // Five standard errors of each.
    #expect(mean.magnitude < steps * 0.036)
    #expect((square.squareRoot() - steps).magnitude < steps * 0.026)
    // A third is further away than one standard deviation.
    let far = Double(sample.count { $0.magnitude > steps }) / Double(sample.count)
    #expect((0.28...0.36).contains(far))
  }

  @Test func `The same seed gives the same noise, another seed another`() {
    #expect(Self.sample(500, seed: 1) == Self.sample(500, seed: 1))
    #expect(Self.sample(500, seed: 1) != Self.sample(500, seed: 2))
  }

  /// Reads A0 again and again into R20.
  private static func results(_ chip: ATmega328P) -> [UInt8] {
    var chip = chip
    return (0..<50).map { _ in
      chip.run(until: chip.cycle + 500)
      return chip[data: 20] ?? 0
    }
  }

  private static func chip(_ noise: ADCNoise?) throws -> ATmega328P {
    let program = try Assembler("ADMUX=0x40; ADCSRA=0xE0; loop:; r20=ADCL; r21=ADCH; rjmp loop")
    var chip = program.chip
    if let noise { chip.add(noise) }
    chip.apply(microvolts: 1_002_500, to: Pin(arduino: 14)!)
    return chip
  }

  @Test func `Noise moves the results, and a restored chip continues with it`() throws {
    let quiet = Set(Self.results(try Self.chip(nil)).dropFirst())
    #expect(quiet.count == 1)
    let noise = ADCNoise(thousandths: 1_500, seed: 3)
    var chip = try Self.chip(noise)
    #expect(Set(Self.results(chip)).count > 3)
    let original = try Self.chip(noise)
    chip.run(until: 20_000)
    let restored = try #require(ATmega328P(chip.snapshot(since: original), of: original))
    #expect(Self.results(restored) == Self.results(chip))
  }
}
