import Devices
import Judging
import Sketches
import Testing
import Traces

@testable import Sessions

@Suite struct WorldsRunTests {
  private static let text = """
    {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3}
    [0.000197, "servo", 90, 1472]
    [1.000000, "rx", "L"]
    [1.500000, "rx", "ZX50."]
    [1.520000, "rx", "X60."]
    [2.000000, "rx", "X70."]

    """

  private static func judged(
    _ run: WorldsRun
  ) throws -> (verdict: Verdict, nearest: [UInt8]?) {
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    return try run.judge(
      &reader, uncertainty: .milliseconds(8), on: ModelSource(), Verification())
  }

  @Test(arguments: [1, 2, 3, 8])
  func `The same seed gives the same result on any number of processors`(_ jobs: Int) throws {
    var run = WorldsRun()
    run.count = 200
    run.jobs = 1
    let one = try Self.judged(run).verdict
    run.jobs = jobs
    #expect(try Self.judged(run).verdict == one)
    #expect(one.worlds?.count == 200)
    run.seed = 2
    #expect(try Self.judged(run).verdict.worlds?.fates != one.worlds?.fates)
  }

  @Test(
    arguments: [
      (nil, nil, nil), (nil, "0.002", Interval.milliseconds(2)),
      (Interval.milliseconds(5), "0.002", .milliseconds(5)), (.zero, "0.002", nil),
      (.milliseconds(5), nil, .milliseconds(5)),
    ] as [(Interval?, String?, Interval?)])
  func `The option replaces the trace's uncertainty, and zero means exact times`(
    _ option: Interval?, _ stated: String?, _ expected: Interval?
  ) throws {
    let key = stated.map { ", \"uncertainty\": \($0)" } ?? ""
    let reader = try TraceReader(
      text: Array("{\"format\": \"sentry-trace\", \"version\": 1\(key)}\n".utf8), path: "t")
    #expect(ModelSource().uncertainty(of: reader.header, unless: option) == expected)
  }

  @Test
  func `The picture's band contains the angles of the recorded times`() throws {
    var reader = try TraceReader(text: Array(Self.text.utf8), path: "t")
    var run = WorldsRun()
    run.count = 50
    let found = try run.explore(
      &reader, uncertainty: .milliseconds(8), on: ModelSource(), firmware: nil,
      band: AngleBand(from: .zero, to: .zero + .seconds(3), count: 300))
    let band = try #require(found.band)
    #expect(band.ranges.compactMap { $0 }.contains { $0.lowerBound < $0.upperBound })
    // 90 degrees from the first servo event until the L.
    #expect(band.ranges[50] == 90...90)
  }
}
