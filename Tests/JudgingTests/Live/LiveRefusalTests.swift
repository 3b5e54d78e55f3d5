import Devices
import Judging
import Sketches
import TestSupport
import Testing
import Traces

/// What the network refuses in a live session, compared with its trace.
@Suite("Refusals in a live session") struct LiveRefusalTests {
  private static func refused(_ milliseconds: Int64, _ message: RefusedMessage) -> Event {
    Event(.zero + .milliseconds(milliseconds), .refused(message))
  }

  private static let hello = RefusedMessage(Array("hello".utf8), why: .notACommand)
  private static let far = RefusedMessage(Array("X999.".utf8), why: .outOfRange)
  private static let old = RefusedMessage(Array("X40.".utf8), why: .replaced)
  private static let again = RefusedMessage(Array("L".utf8), why: .merged)

  /// A session with an aim at 1.5 s, and these refusals.
  private static func session(_ refused: [Event]) -> LiveSession {
    var session = LiveSession(.classic, "1500 X45.", end: 3_000)
    session.events = (session.events + refused).enumerated()
      .sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    return session
  }

  private static func judge(_ traced: [Event], _ live: [Event]) throws -> Verdict {
    try session(live).judged(by: session(traced).trace(.classic), .classic)
  }

  @Test(
    arguments: [
      ([], []), ([refused(1_000, hello)], [refused(2_000, hello)]),
      ([refused(1_000, hello), refused(2_000, far)], [refused(900, hello), refused(901, far)]),
      ([], [refused(1_000, old), refused(2_000, again)]),
      ([refused(1_000, old)], []),
    ] as [([Event], [Event])])
  func `The same refusals in the same order agree, at any time`(
    _ traced: [Event], _ live: [Event]
  ) throws {
    let verdict = try Self.judge(traced, live)
    #expect(verdict.agrees, "\(verdict.summary)")
  }

  @Test(
    arguments: [
      (
        [], [refused(1_000, hello), refused(2_000, far)],
        "the network refused \"hello\" (not a command) at 1.000000 s: the trace has no refusals", 4
      ),
      (
        [refused(1_000, hello)], [refused(1_000, hello), refused(2_000, far)],
        "the network refused \"X999.\" (out of range) at 2.000000 s: the trace has only 1 refusal",
        5
      ),
      (
        [refused(1_000, hello)], [refused(1_000, far)],
        "refusal 1 of 1 differs: expected \"hello\" (not a command), "
          + "the network refused \"X999.\" (out of range) at 1.000000 s", 3
      ),
      (
        [refused(1_000, hello), refused(2_000, far)], [refused(1_000, hello)],
        "the network refused only 1 of 2 messages: expected \"X999.\" (out of range), "
          + "and nothing more was refused until 3.000000 s", 6
      ),
    ] as [([Event], [Event], String, Int)])
  func `Other refusals disagree, with a sentence, a line and both events`(
    _ traced: [Event], _ live: [Event], _ message: String, _ line: Int
  ) throws {
    let verdict = try Self.judge(traced, live)
    let divergence = try #require(verdict.divergence)
    #expect(divergence.message == message)
    #expect(divergence.line == line)
    #expect(divergence.difference == .refused)
    #expect(
      divergence.expected == divergence.traced.last.map { .init($0.event, line: $0.line!) }
        || divergence.expected == nil)
    #expect(divergence.found == nil || divergence.done.contains { $0.event == divergence.found })
  }

  @Test func `The first difference is reported, whether of bytes or of refusals`() throws {
    let trace = LiveSession(.classic, "1500 X45. | 2000 X90.", end: 4_000).trace(.classic)
    for (time, difference) in [(1_800, Divergence.Difference.refused), (2_800, .bytes)] {
      var live = LiveSession(.classic, "1500 X45. | 2000 X91.", end: 4_000)
      live.events.append(Self.refused(Int64(time), Self.hello))
      live.events.sort { $0.time < $1.time }
      #expect(try live.judged(by: trace, .classic).divergence?.difference == difference)
    }
  }

  @Test func `Replaced and merged commands are counted`() throws {
    let verdict = try Self.judge(
      [], [Self.refused(100, Self.old), Self.refused(200, Self.again), Self.refused(9, Self.old)])
    #expect(verdict.replaced == 2)
    #expect(verdict.merged == 1)
  }

  @Test func `A trace with refusals alone is judged by them`() throws {
    let trace = Array(
      #"""
      {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3}
      [1.000000, "x-refused", "hello", "not-a-command"]

      """#.utf8)
    var live = LiveSession(.classic, "", end: 3_000)
    #expect(try live.judged(by: trace, .classic).divergence?.difference == .refused)
    live.events.append(Self.refused(1_000, Self.hello))
    #expect(try live.judged(by: trace, .classic).agrees)
  }

  @Test func `A refusal that is not complete is an error with its place`() throws {
    let trace = Array(
      #"""
      {"format": "sentry-trace", "version": 1, "firmware": "classic"}
      [1.000000, "x-refused", "hello", "for-fun"]

      """#.utf8)
    var reader = try TraceReader(text: trace, path: "trace")
    let error = try #require(throws: TraceError.self) {
      _ = try TraceJudge(
        expected: &reader,
        SessionSetup(firmware: .classic, baud: reader.header.baud, observes: [.servo]))
    }
    #expect(error.description.hasPrefix("trace:2:34: error: expected one of \"not-a-command\", "))
  }
}
