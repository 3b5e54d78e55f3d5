import Clients
import TestSupport
import Testing
import Turret

struct BackOffTests {
  @Test func `The wait doubles up to its limit, and starts again after a success`() {
    var backOff = BackOff(first: .milliseconds(250), most: .seconds(8))
    var random = LastOfRange()
    let waits = (0..<8).map { _ in backOff.wait(using: &random) }
    #expect(
      waits == [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].map { .milliseconds($0) })
    backOff.reset()
    #expect(backOff.wait(using: &random) == .milliseconds(250))
  }

  @Test func `The random part is at most half of the wait, and differs each time`() {
    var random = SeededGenerator(seed: 3)
    var waits: Set<Interval> = []
    for _ in 0..<1_000 {
      var backOff = BackOff(first: .milliseconds(250), most: .seconds(8))
      let wait = backOff.wait(using: &random)
      #expect(wait >= .milliseconds(125) && wait <= .milliseconds(250))
      waits.insert(wait)
    }
    #expect(waits.count > 900)
  }
}
