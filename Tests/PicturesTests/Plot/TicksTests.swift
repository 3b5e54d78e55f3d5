import Testing
import Turret

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
