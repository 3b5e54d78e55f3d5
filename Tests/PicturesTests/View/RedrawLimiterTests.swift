import Sketches
import Testing

@testable import Pictures

struct RedrawLimiterTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `A change every millisecond gives thirty redraws a second`() {
    var limiter = RedrawLimiter()
    var redraws = 0
    for millisecond in 0..<1_000 where limiter.admit(at: at(Int64(millisecond))) { redraws += 1 }
    #expect(redraws == 30)
  }

  @Test func `The first redraw happens at once, and the next one when it is due`() {
    var limiter = RedrawLimiter()
    let first = limiter.admit(at: at(500))
    #expect(first)
    #expect(limiter.next == nil)
    let second = limiter.admit(at: at(510))
    #expect(!second)
    #expect(limiter.next == at(500) + RedrawLimiter.period)
    let third = limiter.admit(at: at(500) + RedrawLimiter.period)
    #expect(third)
    #expect(limiter.next == nil)
  }

  @Test func `A screen that keeps changing requests another redraw`() {
    var limiter = RedrawLimiter()
    _ = limiter.admit(at: at(500))
    limiter.wantAnother()
    #expect(limiter.next == at(500) + RedrawLimiter.period)
    limiter.cancel()
    #expect(limiter.next == nil)
  }
}
