import Judging
import Sketches
import Testing
import Traces

/// Expectations in a test: each is decided as soon as it can be, and takes the next command.
@Suite struct NextRuleTests {
  private func judge(_ rule: String, from place: RuleJudge.Place = .init()) throws -> RuleJudge {
    let value = try JSONValue.contents(of: Array(rule.utf8), path: "rule")
    let rules = try RuleParser(path: "").rules(Notation(value))
    return RuleJudge(try #require(rules.first), .next, from: place)
  }

  private let session = RuledSession(script: "1500 X45. | 2000 X135. | 2500 X45.")

  @Test func `A rule is open until its command is there, and then until its time is up`() throws {
    let judge = try judge(#"{"servo": 46, "within": "50ms", "of": "X45."}"#)
    #expect(judge.decide(session.record(until: 1_400)) == .open(until: nil))
    #expect(
      judge.decide(session.record(until: 1_520)) == .open(until: .zero + .milliseconds(1_550)))
    guard case .fails(let failure) = judge.decide(session.record(until: 1_560)) else {
      Issue.record("the time was up")
      return
    }
    #expect(failure.headline == #"servo 46 within 50 ms of "X45." failed"#)
  }

  @Test func `Each takes the next command after those that others have used`() throws {
    let record = session.record(until: 3_000)
    let rule = #"{"servo": 45, "within": "50ms", "of": "X45."}"#
    var place = RuleJudge.Place()
    for time in [1_504_224, 2_504_224] as [Int64] {
      guard case .holds(let after) = try judge(rule, from: place).decide(record) else {
        Issue.record("the servo reached 45 at \(time) us")
        return
      }
      #expect(after.position.time == .zero + .microseconds(time))
      place = after
    }
    #expect(try judge(rule, from: place).decide(record) == .open(until: nil))
  }

  @Test func `A line without its end is over after silence, and its time is that of its last byte`()
    throws
  {
    let judge = try judge(#"{"tx": "ok", "within": "50ms", "of": "X45."}"#)
    var record = SessionRecord(SessionSetup(firmware: .classic))
    record.take(Event(.zero + .milliseconds(1_500), .receive(Array("X45.".utf8))))
    for (index, byte) in "ok".utf8.enumerated() {
      record.take(Event(.zero + .milliseconds(1_510 + Int64(index)), .transmit(byte)))
    }
    record.advance(to: .zero + .milliseconds(1_600))
    #expect(judge.decide(record) == .open(until: .zero + .milliseconds(2_011)))
    record.advance(to: .zero + .milliseconds(2_011))
    guard case .holds(let after) = judge.decide(record) else {
      Issue.record("the board sent ok in time")
      return
    }
    #expect(after.position.time == .zero + .milliseconds(1_511))
  }

  @Test func `A mishap fails a rule at once`() throws {
    let session = RuledSession(script: "1500 h")
    guard
      case .fails(let failure) = try judge(#"{"never": "junk"}"#)
        .decide(session.record(until: 1_600))
    else {
      Issue.record("`h` is junk")
      return
    }
    #expect(failure.notes.first == "`h` was junk (no command begins with it) at 1.501042 s")
    #expect(
      try judge(#"{"never": "lost"}"#).decide(session.record(until: 1_600)) == .open(until: nil))
  }
}
