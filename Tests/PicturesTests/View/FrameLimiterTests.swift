import Testing
import Turret

@testable import Pictures

struct FrameLimiterTests {
  private func at(_ milliseconds: Int64) -> Instant {
    Instant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func `A change every millisecond gives thirty frames a second`() {
    var limiter = FrameLimiter()
    var frames = 0
    for millisecond in 0..<1_000 where limiter.admit(at: at(Int64(millisecond))) { frames += 1 }
    #expect(frames == 30)
  }

  @Test func `The first frame is drawn at once, and the next one when it is due`() {
    var limiter = FrameLimiter()
    let first = limiter.admit(at: at(500))
    #expect(first)
    #expect(limiter.next == nil)
    let second = limiter.admit(at: at(510))
    #expect(!second)
    #expect(limiter.next == at(500) + FrameLimiter.period)
    let third = limiter.admit(at: at(500) + FrameLimiter.period)
    #expect(third)
    #expect(limiter.next == nil)
  }

  @Test func `A screen that keeps changing requests another frame`() {
    var limiter = FrameLimiter()
    _ = limiter.admit(at: at(500))
    limiter.wantAnother()
    #expect(limiter.next == at(500) + FrameLimiter.period)
    limiter.cancel()
    #expect(limiter.next == nil)
  }
}
