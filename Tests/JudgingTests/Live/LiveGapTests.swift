import Judging
import Sketches
import TestSupport
import Testing
import Traces

/// The time between a sender's bytes and commands, compared with a trace's.
@Suite("The sender's gaps in a live session") struct LiveGapTests {
  private static func judge(
    _ traced: String, _ live: String, gapMax: Int64?
  ) throws -> Verdict {
    let trace = LiveSession(.classic, traced, end: 6_000).trace(.classic)
    let session = LiveSession(.classic, live, end: 6_000)
    var reader = try TraceReader(text: trace, path: "trace")
    var judge = try TraceJudge(
      expected: &reader, SessionSetup(firmware: .classic, baud: reader.header.baud),
      gapMax: gapMax.map { .milliseconds($0) })
    for event in session.events { judge.take(event) }
    return judge.finish(at: session.end)
  }

  @Test(
    arguments: [
      // What the trace has, what is sent, the largest difference in microseconds, and its byte.
      ("1500 X45. | 2000 X90.", "1500 X45. | 2000 X90.", 0, 2),
      ("1500 X45. | 2000 X90.", "2500 X45. | 3000 X90.", 0, 2),
      ("1500 X45. | 2000 X90.", "1500 X45. | 2003 X90.", 3_000, 5),
      ("1500 X45. | 2000 X90.", "1500 X45. | 1980 X90.", 20_000, 5),
      ("1500 X110.", "1500 X110 | 1700 .", 195_833, 5),
      // Back to back on both sides, however it was written.
      ("1500 X45.X90.", "1500 X45. | 1501 X90.", 0, 2),
      // Each of four bytes is 10 ms late: together the command is 40 ms late.
      ("1500 X45. | 1600 L", "1500 X | 1511 4 | 1522 5 | 1533 . | 1640 L", 40_000, 5),
    ] as [(String, String, Int64, Int)])
  func `The largest difference is reported and does not fail by itself`(
    _ traced: String, _ live: String, _ microseconds: Int64, _ byte: Int
  ) throws {
    let verdict = try Self.judge(traced, live, gapMax: nil)
    #expect(verdict.agrees, "\(verdict.summary)")
    let gap = try #require(verdict.largestGap)
    #expect(abs(gap.size.nanoseconds / 1_000 - microseconds) <= 1, "\(gap)")
    if microseconds > 0 { #expect(gap.position + 1 == byte, "\(gap)") }
  }

  @Test(
    arguments: [
      ("1500 X45. | 2000 X90.", "1500 X45. | 2050 X90.", 50, true),
      ("1500 X45. | 2000 X90.", "1500 X45. | 2051 X90.", 50, false),
      ("1500 X45. | 2000 X90.", "1500 X45. | 1949 X90.", 50, false),
      ("1500 X110.", "1500 X110 | 1700 .", 50, false),
      ("1500 X110 | 1700 .", "1500 X110.", 50, false),
      ("1500 X110.", "1500 X110 | 1700 .", 200, true),
      ("1500 L", "4000 L", 1, true),
      ("1500 L", "4000 L", 0, true),
    ] as [(String, String, Int64, Bool)])
  func `A larger difference than the limit is a divergence`(
    _ traced: String, _ live: String, _ limit: Int64, _ agrees: Bool
  ) throws {
    let verdict = try Self.judge(traced, live, gapMax: limit)
    #expect(verdict.agrees == agrees, "\(verdict.summary)")
    #expect(verdict.divergence?.difference == (agrees ? nil : .gap))
  }

  @Test func `The divergence names both gaps, the bytes and the trace's line`() throws {
    let divergence = try #require(
      Self.judge("1500 X45. | 2000 X110.", "1500 X45. | 2100 X110 | 2305.208 .", gapMax: 150)
        .divergence)
    #expect(divergence.line == 5)
    #expect(divergence.found?.kind == .receive([UInt8(ascii: ".")]))
    #expect(divergence.message.hasPrefix("\".\" came "), "\(divergence.message)")
    #expect(divergence.message.contains(" after \"X45.X110\", but "))
    #expect(divergence.message.contains("the gaps differ by "))
    #expect(divergence.found.map { $0.time > divergence.time } == true)
  }

  @Test func `A gap between two commands names both`() throws {
    let divergence = try #require(
      Self.judge(
        "1500 X45. | 1600 X90.", "1500 X | 1511 4 | 1522 5 | 1533 . | 1640 X90.", gapMax: 30
      ).divergence)
    #expect(divergence.message.hasPrefix("\"X90.\" came "), "\(divergence.message)")
    #expect(divergence.message.contains(" after \"X45.\", but "))
  }

  @Test func `Other bytes are reported first, and only equal bytes have gaps`() throws {
    let verdict = try Self.judge(
      "1500 X45. | 2000 X90. | 2500 X10.", "1500 X45. | 2000 X91. | 4500 X10.", gapMax: 50)
    #expect(verdict.divergence?.difference == .bytes)
    #expect(verdict.largestGap.map { $0.position < 6 } == true)
    let late = try Self.judge(
      "1500 X45. | 2000 X90. | 2500 X10.", "1500 X45. | 2200 X90. | 2500 X11.", gapMax: 50)
    #expect(late.divergence?.difference == .gap)
  }
}
