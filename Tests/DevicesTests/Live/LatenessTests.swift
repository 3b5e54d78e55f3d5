import Devices
import Sketches
import TestSupport
import Testing

@Suite struct LatenessTests {
  @Test func `There is no percentile before the first wake-up`() {
    let lateness = Lateness()
    #expect(lateness.percentile(50) == nil)
    #expect(lateness.count == 0)
    #expect(lateness.worst == .zero)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 999, 1_000_000, 60_000_000_000, Int64.max])
  func `A single length is every percentile and the worst`(_ nanoseconds: Int64) {
    var lateness = Lateness()
    lateness.add(.nanoseconds(nanoseconds))
    for percent in [1, 50, 99, 100] {
      #expect(lateness.percentile(percent) == .nanoseconds(nanoseconds))
    }
    #expect(lateness.worst == .nanoseconds(nanoseconds))
  }

  @Test func `An early wake-up counts as on time`() {
    var lateness = Lateness()
    lateness.add(.nanoseconds(-5))
    #expect(lateness.count == 1)
    #expect(lateness.percentile(100) == .zero)
  }

  @Test func `A percentile is never too small and at most a sixteenth too large`() throws {
    for seed in UInt64(1)...50 {
      var generator = SeededGenerator(seed: seed)
      var lateness = Lateness()
      var lengths: [Int64] = []
      for _ in 0..<Int.random(in: 1...400, using: &generator) {
        let octave = Int64.random(in: 0...40, using: &generator)
        let length = Int64.random(in: 0...(1 << octave), using: &generator)
        lengths.append(length)
        lateness.add(.nanoseconds(length))
      }
      lengths.sort()
      #expect(lateness.count == lengths.count)
      for percent in [1, 25, 50, 90, 99, 100] {
        let rank = max(1, (lengths.count * percent + 99) / 100)
        let exact = lengths[rank - 1]
        let found = try #require(lateness.percentile(percent)).nanoseconds
        #expect(found >= exact && found <= exact + exact / 16, "seed \(seed), \(percent) %")
      }
    }
  }
}
