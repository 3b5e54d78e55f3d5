import AVR
import Devices
import TestSupport
import Testing

@testable import ChipDevice

@Suite("Servos found by their pulses")
struct PulseWatchTests {
  private static let limits = PulseLimits(.uno)

  /// Feeds pulses, each with the microseconds since the last rising edge and its width. Returns the
  /// widths of the events, each with the number of the pulse that it is for.
  private static func events(
    _ pulses: [(period: UInt64, width: UInt64)]
  ) -> [(pulse: Int, width: UInt64)] {
    var watch = PulseWatch()
    var rise: UInt64 = 0
    var rises: [UInt64] = []
    var found: [PulseWatch.Pulse] = []
    for pulse in pulses {
      rise += pulse.period * 16
      rises.append(rise)
      watch.giveUp(at: rise, limits)
      watch.begin(at: rise)
      watch.giveUp(at: rise + pulse.width * 16, limits)
      if let pulse = watch.end(at: rise + pulse.width * 16) { found += watch.follow(pulse, limits) }
    }
    return found.map { new in (rises.firstIndex(of: new.rise) ?? -1, new.width / 16) }
  }

  struct Train: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var pulses: [(period: UInt64, width: UInt64)]
    var expected: [(pulse: Int, width: UInt64)]

    init(
      _ name: String, _ pulses: [(period: UInt64, width: UInt64)],
      _ expected: [(pulse: Int, width: UInt64)]
    ) {
      testDescription = name
      self.pulses = pulses
      self.expected = expected
    }
  }

  static let trains = [
    Train("two pulses", [(0, 1_500), (20_000, 1_500)], []),
    Train("three", [(0, 1_500), (20_000, 1_500), (20_000, 1_500)], [(0, 1_500)]),
    Train(
      "a new width at once", [(0, 1_500), (20_000, 1_000), (20_000, 1_000)],
      [(0, 1_500), (1, 1_000)]),
    Train(
      "a new width later", [(0, 900), (20_000, 900), (20_000, 900), (20_000, 900), (20_000, 920)],
      [(0, 900), (4, 920)]),
    Train(
      "8 us are jitter", [(0, 900), (20_000, 908), (20_000, 892), (20_000, 908)], [(0, 900)]),
    Train(
      "9 us are not", [(0, 900), (20_000, 909), (20_000, 900)], [(0, 900), (1, 909), (2, 900)]),
    Train("the shortest period", [(0, 400), (3_000, 400), (3_000, 400)], [(0, 400)]),
    Train("shorter", [(0, 400), (2_999, 400), (3_000, 400)], []),
    Train("the longest period", [(0, 2_600), (25_000, 2_600), (25_000, 2_600)], [(0, 2_600)]),
    Train("longer", [(0, 1_500), (20_000, 1_500), (25_001, 1_500), (20_000, 1_500)], []),
    Train("too short a pulse", [(0, 399), (20_000, 399), (20_000, 399)], []),
    Train("too long a pulse", [(0, 2_601), (20_000, 2_601), (20_000, 2_601)], []),
    Train(
      "one of them too long",
      [(0, 1_500), (20_000, 1_500), (20_000, 9_000), (20_000, 1_500), (20_000, 1_500)], []),
    Train(
      "a motor's steps that become faster", (4...12).reversed().map { ($0 * 1_000, 800) }, []),
    Train(
      "the same, and then a servo",
      [(0, 800), (12_000, 800), (11_000, 800), (20_000, 800), (20_000, 800)], [(2, 800)]),
    Train("a tone of 250 Hz", Array(repeating: (4_000, 2_000), count: 9), []),
    Train(
      "after a pause", [(0, 900), (20_000, 900), (20_000, 900), (900_000, 900), (900_000, 1_200)],
      [(0, 900), (4, 1_200)]),
  ]

  @Test(arguments: trains)
  func `Three pulses at a servo's period are a servo, and changes of more than 8 us are events`(
    _ train: Train
  ) {
    let events = Self.events(train.pulses)
    #expect(events.map(\.pulse) == train.expected.map(\.pulse))
    #expect(events.map(\.width) == train.expected.map(\.width))
  }

  /// At most 75 ms, the device's lag.
  @Test func `No edge is undecided for longer than three periods, whatever the pin does`() {
    var generator = SeededGenerator(seed: 1_703)
    for _ in 0..<200 {
      var watch = PulseWatch()
      var cycle: UInt64 = 0
      var isHigh = false
      for _ in 0..<400 {
        cycle += .random(
          in: 0...[100, 48_000, 500_000].randomElement(using: &generator)!,
          using: &generator)
        watch.giveUp(at: cycle, Self.limits)
        if let first = watch.undecided { #expect(cycle - first <= 75_000 * 16) }
        isHigh.toggle()
        if isHigh {
          watch.begin(at: cycle)
        } else if let pulse = watch.end(at: cycle) {
          _ = watch.follow(pulse, Self.limits)
        }
      }
    }
  }
}
