import Sketches
import Testing
import Traces

@testable import Devices

struct LiveCountsTests {
  private static func counts(_ kinds: [Event.Kind]) -> LiveCounts {
    var counts = LiveCounts()
    for kind in kinds { counts.add(Event(.zero, kind)) }
    return counts
  }

  private static func pin(_ number: Int) -> BoardPin { BoardPin(arduino: number) ?? .usualServo }

  @Test func `Levels of pins are in order of the pins, and each change is counted`() {
    let counts = Self.counts([
      .output(.pin(Self.pin(7), isHigh: true)), .output(.pin(Self.pin(2), isHigh: true)),
      .output(.pin(Self.pin(7), isHigh: false)), .output(.pin(Self.pin(13), isHigh: false)),
    ])
    #expect(
      counts.pins == [
        LivePin(pin: Self.pin(2), isHigh: true, changes: 1),
        LivePin(pin: Self.pin(7), isHigh: false, changes: 2),
        LivePin(pin: Self.pin(13), isHigh: false, changes: 1),
      ])
  }

  @Test func `Of the inputs of a pin or a part, the last one lasts`() throws {
    let sonar = try #require(BoardPart("hc-sr04@D7:D8"))
    let counts = Self.counts([
      .input(.level(Self.pin(2), true)), .input(.part(sonar, millionths: 1)),
      .input(.voltage(Self.pin(2), microvolts: 5)), .input(.part(sonar, millionths: 2)),
    ])
    #expect(
      counts.inputs == [
        .voltage(Self.pin(2), microvolts: 5), .part(sonar, millionths: 2),
      ])
  }
}
