import Sketches
import TestSupport
import Testing

@testable import Pictures

struct TicksTests {
  @Test(arguments: [
    (0, "µs"), (700_000, "µs"), (40_000_000, "ms"), (2_200_000_000, "s"), (7_000_000_000, "s"),
    (22_000_000_000, "s"), (900_000_000_000, "min"), (86_400_000_000_000, "h"),
  ])
  func `Ticks are a few round numbers, and none is beyond the end`(
    _ nanoseconds: Int64, _ unit: String
  ) {
    let end = Instant(nanoseconds: nanoseconds)
    let ticks = Ticks(to: end)
    #expect(ticks.unit == unit)
    #expect((1...11).contains(ticks.values.count))
    #expect(ticks.values.first == 0)
    var digits = ticks.step
    while digits >= 9.99 { digits /= 10 }
    while digits < 0.999 { digits *= 10 }
    #expect([1, 2, 5].contains { ($0 - digits).magnitude < 1e-6 })
    for value in ticks.values {
      #expect(value * ticks.secondsPerUnit <= end.seconds * 1.000_001)
    }
    #expect(Set(ticks.values.map(ticks.label)).count == ticks.values.count)
  }

  @Test(arguments: [
    (1_000.0, 1_000.25, "s", ["1000", "1000.05", "1000.1", "1000.15", "1000.2", "1000.25"]),
    (
      0.35, 0.4, "ms",
      ["350", "355", "360", "365", "370", "375", "380", "385", "390", "395", "400"]
    ),
    (59.99, 61.01, "s", ["60", "60.2", "60.4", "60.6", "60.8", "61"]),
    (3_600, 5_400, "min", ["60", "65", "70", "75", "80", "85", "90"]),
  ])
  func `The ticks of a part of a session are round numbers too`(
    _ start: Double, _ end: Double, _ unit: String, _ labels: [String]
  ) {
    func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
    let ticks = Ticks(from: instant(start), to: instant(end))
    #expect(ticks.unit == unit)
    #expect(ticks.values.map(ticks.label) == labels)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `Any part of a session has a few different ticks inside it`(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let start = Instant(nanoseconds: .random(in: 0..<100_000_000_000, using: &random))
    let shift = Int64.random(in: 0...40, using: &random)
    let end = start + .nanoseconds(1 + .random(in: 0...(1 << shift), using: &random))
    let ticks = Ticks(from: start, to: end)
    #expect((1...12).contains(ticks.values.count), "seed \(seed)")
    #expect(Set(ticks.values.map(ticks.label)).count == ticks.values.count, "seed \(seed)")
  }

  @Test(arguments: [
    (0.0, 3, "0"), (1.5, 1, "1.5"), (-0.04, 1, "0"), (-2.25, 2, "-2.25"), (0.1 + 0.2, 4, "0.3"),
    (12, 0, "12"), (.nan, 1, "0"), (.infinity, 1, "0"), (1.005, 3, "1.005"),
  ])
  func `Numbers are written in their shortest form`(_ value: Double, _ places: Int, _ text: String)
  {
    #expect(XMLText.number(value, places: places) == text)
  }

  @Test(arguments: [
    (UInt8(0x58), "X"), (0x0D, "\\r"), (0x0A, "\\n"), (0x5C, "\\\\"), (0x20, "␣"), (0x7F, "‹7F›"),
    (0xFF, "‹FF›"), (0, "‹00›"),
  ])
  func `Bytes are shown as readable characters`(_ byte: UInt8, _ text: String) {
    #expect(XMLText.byte(byte) == text)
  }
}
