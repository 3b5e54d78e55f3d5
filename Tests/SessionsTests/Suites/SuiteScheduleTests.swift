import Engine
import Sketches
import Testing

@testable import Sessions

/// When the benches of a suite's live scenarios are started and ended.
@Suite("Suite schedule") struct SuiteScheduleTests {
  private static let start = HostTime(nanoseconds: 5)
  private static func at(_ seconds: Int64) -> HostTime { start + .seconds(seconds) }

  private static func schedule(jobs: Int = 2, _ limits: [Interval?]) -> SuiteSchedule {
    SuiteSchedule(jobs: jobs, limits: limits)
  }

  @Test func `As many as there are jobs run at once, and each that ends makes room for the next`() {
    var schedule = Self.schedule([nil, nil, nil, nil])
    #expect(schedule.take(.time, at: Self.at(0)) == [.start(0), .start(1)])
    #expect(schedule.take(.time, at: Self.at(1)) == [])
    #expect(schedule.take(.ended(1), at: Self.at(1)) == [.start(2)])
    #expect(schedule.take(.ended(0), at: Self.at(2)) == [.start(3)])
    #expect(schedule.take(.ended(3), at: Self.at(3)) == [])
    #expect(!schedule.isDone)
    #expect(schedule.take(.ended(2), at: Self.at(3)) == [])
    #expect(schedule.isDone)
  }

  @Test func `Runs with the same link to their pty run one after the other`() {
    var schedule = SuiteSchedule(
      jobs: 3, limits: [nil, nil, nil, nil], links: ["/tmp/a", "/tmp/a", nil, "/tmp/b"])
    #expect(schedule.take(.time, at: Self.at(0)) == [.start(0), .start(2), .start(3)])
    #expect(schedule.take(.ended(2), at: Self.at(1)) == [])
    #expect(schedule.take(.ended(0), at: Self.at(2)) == [.start(1)])
    _ = schedule.take(.ended(1), at: Self.at(3))
    _ = schedule.take(.ended(3), at: Self.at(3))
    #expect(schedule.isDone)
  }

  @Test func `A suite without live scenarios is done at once`() {
    var schedule = Self.schedule([])
    #expect(schedule.take(.time, at: Self.at(0)) == [])
    #expect(schedule.isDone && schedule.deadline == nil)
  }

  @Test func `A bench that does not end is asked to, and then not waited for`() {
    var schedule = Self.schedule([.seconds(10)])
    #expect(schedule.take(.time, at: Self.at(0)) == [.start(0)])
    let limit = Self.at(10) + SuiteSchedule.allowance
    #expect(schedule.deadline == limit)
    #expect(schedule.take(.time, at: limit + .nanoseconds(-1)) == [])
    #expect(schedule.take(.time, at: limit) == [.stop(0)])
    #expect(schedule.deadline == limit + SuiteSchedule.grace)
    #expect(schedule.take(.time, at: limit + SuiteSchedule.grace) == [.abandon(0)])
    #expect(schedule.deadline == nil && schedule.isDone)
    #expect(schedule.take(.ended(0), at: limit + .seconds(9)) == [])
    #expect(schedule.isDone)
  }

  @Test func `A request ends those that run and starts no more`() {
    var schedule = Self.schedule([nil, .seconds(10), nil])
    _ = schedule.take(.time, at: Self.at(0))
    #expect(schedule.take(.request, at: Self.at(1)) == [.stop(0), .stop(1)])
    #expect(schedule.take(.request, at: Self.at(2)) == [])
    #expect(schedule.take(.ended(0), at: Self.at(3)) == [])
    #expect(!schedule.isDone)
    #expect(schedule.take(.time, at: Self.at(1) + SuiteSchedule.grace) == [.abandon(1)])
    #expect(schedule.isDone)
    #expect(schedule.take(.ended(1), at: Self.at(7)) == [])
    #expect(schedule.isDone)
  }

  @Test func `A request before the start starts nothing`() {
    var schedule = Self.schedule([nil])
    #expect(schedule.take(.request, at: Self.at(0)) == [])
    #expect(schedule.isDone)
  }

  @Test func `Results are passed on in order, and missing ones at the end as ended`() {
    var results = OrderedResults()
    func names(_ results: [SuiteResult]) -> [String] { results.map { "\($0.outcome)" } }
    func error(_ text: String) -> SuiteResult { SuiteResult(.error(.malformed, text)) }
    #expect(results.put(error("b"), at: 1).isEmpty)
    #expect(names(results.put(error("a"), at: 0)) == names([error("a"), error("b")]))
    #expect(results.put(error("d"), at: 3).isEmpty)
    #expect(
      names(results.finish(count: 5))
        == names([
          SuiteResult(.ended), error("d"), SuiteResult(.ended),
        ]))
    #expect(results.finish(count: 5).isEmpty)
  }
}
