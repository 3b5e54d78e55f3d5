import Sketches
import Testing

@testable import Network

struct TokenBucketTests {
  private static func take(_ count: Int, of bucket: inout TokenBucket, at time: Instant) -> Int {
    (0..<count).count { _ in bucket.take(at: time) }
  }

  @Test func `One second's messages can arrive at once, but no more`() {
    var bucket = TokenBucket(perSecond: 10, at: .zero)
    #expect(Self.take(30, of: &bucket, at: .zero) == 10)
    #expect(Self.take(30, of: &bucket, at: .zero + .milliseconds(250)) == 2)
    // The half event that was left over is not lost.
    #expect(Self.take(30, of: &bucket, at: .zero + .milliseconds(300)) == 1)
    #expect(Self.take(30, of: &bucket, at: .zero + .seconds(3_600)) == 10)
  }

  @Test func `A steady rate at the limit is permitted for ever`() {
    var bucket = TokenBucket(perSecond: 1_000, at: .zero)
    var refused = 0
    for index in 0..<20_000 as Range<Int64> where !bucket.take(at: .zero + .milliseconds(index)) {
      refused += 1
    }
    #expect(refused == 0)
  }

  @Test func `A clock that runs backwards gives no tokens`() {
    var bucket = TokenBucket(perSecond: 1, at: .zero + .seconds(5))
    #expect(Self.take(1, of: &bucket, at: .zero + .seconds(5)) == 1)
    #expect(Self.take(1, of: &bucket, at: .zero) == 0)
    #expect(Self.take(1, of: &bucket, at: .zero + .seconds(5)) == 0)
  }
}
