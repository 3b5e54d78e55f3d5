import Engine
import Sketches
import Testing

struct DelayHistogramTests {
  @Test(
    arguments: [
      (-5, 25), (0, 25), (25_000, 25), (25_001, 50), (150_000, 150), (150_001, 250),
      (1_000_000_000, 1_000_000),
    ] as [(Int64, Int64)])
  func `A delay is counted in every bound that it does not exceed`(
    nanoseconds: Int64, bound: Int64
  ) {
    var histogram = DelayHistogram()
    histogram.add(.nanoseconds(nanoseconds))
    for step in histogram.cumulative {
      #expect(step.count == (step.bound >= .microseconds(bound) ? 1 : 0))
    }
    #expect(histogram.count == 1)
    #expect(histogram.sum == .nanoseconds(max(0, nanoseconds)))
  }

  @Test func `A delay longer than all bounds is counted too`() {
    var histogram = DelayHistogram()
    histogram.add(.seconds(2))
    #expect(histogram.cumulative.last?.count == 0)
    #expect(histogram.count == 1)
  }
}
