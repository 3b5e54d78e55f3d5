import Engine
import Judging
import Sketches
import Testing

@testable import Sessions

/// When a computer is too slow to judge a program that tracks.
struct PictureCountsTests {
  private static let period = Interval.milliseconds(33)

  private static func counts(_ pictures: Int, late: Int = 0, missed: Int = 0) -> PictureCounts {
    var counts = PictureCounts()
    for number in 0..<pictures {
      counts.take(missed: number == 0 ? missed : 0)
      let due = Instant.zero + .milliseconds(Int64(number) * 33)
      let delay = number < late ? Interval.microseconds(33_001) : .milliseconds(33)
      counts.show(due, at: due + delay, period: period)
    }
    return counts
  }

  @Test(
    arguments: [
      (700, 0, 0, 0, nil), (700, 14, 0, 0, nil), (700, 15, 0, 0, "15 of 700 pictures late"),
      (690, 0, 10, 4, nil), (690, 0, 10, 5, "15 of 700 pictures late"),
      (10, 2, 0, 0, nil), (10, 2, 0, 1, "3 of 10 pictures late"), (0, 0, 0, 0, nil),
    ] as [(Int, Int, Int, Int, String?)])
  func `Late pictures prevent a verdict if they are more than one in fifty`(
    _ pictures: Int, _ late: Int, _ missed: Int, _ replaced: Int, _ expected: String?
  ) {
    let slowness = Self.counts(pictures, late: late, missed: missed).slowness(replaced: replaced)
    #expect(slowness == expected.map { "this computer was too slow for a verdict: \($0)" })
  }

  @Test func `A slow computer is a status of its own, whatever the rules say`() {
    var outcome = LiveOutcome()
    #expect(outcome.failure(on: "slow") == nil)
    outcome.rules = RuleReport([], RuledSessions.empty)
    #expect(outcome.failure(on: nil) == nil)
    let failure = outcome.failure(on: "slow")
    #expect(failure?.status == .unavailable && failure?.message == "error: slow")
  }
}

private enum RuledSessions {
  /// The record of a session in which nothing happened.
  static var empty: SessionRecord {
    var record = SessionRecord(SessionSetup(firmware: .guarded))
    record.finish(at: .zero + .seconds(1))
    return record
  }
}
