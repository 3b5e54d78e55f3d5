import Testing

@testable import AVR

/// An ultrasonic sensor, by its data sheet: 16 cycles are a microsecond.
struct HCSR04Tests {
  private static let trigger = Pin(arduino: 7)!
  private static let echo = Pin(arduino: 8)!

  /// Returns when the echo rises and falls, in microseconds since the trigger's fall; nil without
  /// an echo.
  private static func measure(
    _ sensor: inout HCSR04, triggerCycles: UInt64, at cycle: UInt64
  ) -> [UInt64]? {
    var effects = PartEffects()
    sensor.take(.level(trigger, isHigh: true), at: cycle, &effects)
    let fall = cycle + triggerCycles
    sensor.take(.level(trigger, isHigh: false), at: fall, &effects)
    var edges: [UInt64] = []
    while sensor.deadline != .max {
      let now = sensor.deadline
      effects = PartEffects()
      sensor.take(.time, at: now, &effects)
      #expect(effects.levels.map(\.pin) == [echo])
      #expect(effects.levels.map(\.isHigh) == [edges.isEmpty])
      edges.append((now - fall) / 16)
    }
    return edges.isEmpty ? nil : edges
  }

  @Test(
    arguments: [
      (159, 350_000, nil), (160, 350_000, [200, 2_230]), (16_000, 350_000, [200, 2_230]),
      (160, 20_000, [200, 316]), (160, 4_000_000, [200, 23_400]), (160, 4_000_001, [200, 38_200]),
      (160, nil, [200, 38_200]),
    ] as [(UInt64, Int64?, [UInt64]?)])
  func `A trigger of 10 us gives an echo of 58 us a centimetre, and of 38 ms without one`(
    _ trigger: UInt64, _ distance: Int64?, _ edges: [UInt64]?
  ) throws {
    var sensor = try #require(HCSR04(at: .pins([Self.trigger, Self.echo]), .uno))
    var effects = PartEffects()
    if let distance { sensor.take(.input(distance), at: 0, &effects) }
    #expect(Self.measure(&sensor, triggerCycles: trigger, at: 1_000) == edges)
    #expect(Self.measure(&sensor, triggerCycles: trigger, at: 2_000_000) == edges)
  }

  @Test func `Its echo is low from the beginning, so a pull-up does not make it high`() {
    var chip = ATmega328P(flash: [])
    _ = chip.attach("hc-sr04", at: .pins([Self.trigger, Self.echo]))
    chip.peripherals.write(1, to: 0x25, at: chip.cycle, pc: 0)
    #expect(!chip.level(of: Self.echo))
  }

  @Test func `While it measures it takes no trigger, and the distance is that at the burst's end`()
    throws
  {
    var sensor = try #require(HCSR04(at: .pins([Self.trigger, Self.echo]), .uno))
    var effects = PartEffects()
    sensor.take(.input(1_000_000), at: 0, &effects)
    sensor.take(.level(Self.trigger, isHigh: true), at: 0, &effects)
    sensor.take(.level(Self.trigger, isHigh: false), at: 160, &effects)
    sensor.take(.time, at: sensor.deadline, &effects)
    let end = sensor.deadline
    #expect(end == 160 + 200 * 16 + 5_800 * 16)
    sensor.take(.input(20_000), at: 5_000, &effects)
    sensor.take(.level(Self.trigger, isHigh: true), at: 6_000, &effects)
    sensor.take(.level(Self.trigger, isHigh: false), at: 7_000, &effects)
    #expect(sensor.deadline == end)
  }

  @Test(arguments: [.address(0x40), .pins([]), .pins([trigger])] as [PartPlace])
  func `It needs two pins`(_ place: PartPlace) {
    #expect(HCSR04(at: place, .uno) == nil)
  }
}
