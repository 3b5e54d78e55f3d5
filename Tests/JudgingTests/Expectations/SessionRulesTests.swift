import Judging
import Sketches
import Testing
import Traces

/// How long a session continues for its rules after its sender is done.
@Suite struct SessionRulesTests {
  /// Returns the end, in milliseconds, of a session with `X45.` every 10 ms, `count` times, whose
  /// sender is done 5 ms after the last.
  private func end(_ rule: String, count: Int) throws -> Int {
    let value = try JSONValue.contents(of: Array(rule.utf8), path: "rule")
    var session = try SessionRules(
      RuleParser(path: "").rules(Notation(value)), SessionSetup(firmware: .classic)
    ) { (path) throws(TraceError) in try TraceReader(text: [], path: path) }
    for index in 0..<Int64(count) {
      session.take(
        Event(.zero + .milliseconds(1_500 + 10 * index), .receive(Array("X45.".utf8))))
    }
    let last = Instant.zero + .milliseconds(1_495 + 10 * Int64(count))
    return Int((session.settles(from: last) - Instant.zero).nanoseconds / 1_000_000)
  }

  @Test(arguments: [
    (#"{"servo": 100, "within": "50ms", "of": "X*."}"#, 2, 1_560),
    (#"{"servo": 100, "within": "1ms", "of": "X*."}"#, 1, 1_505),
    (#"{"servo": 100, "within": "50ms", "of": "L"}"#, 1, 1_505),
    (#"{"servo": 100, "of": "X*."}"#, 1, 1_505),
    (#"{"servo": 100, "before": "2s"}"#, 1, 1_999),
    (#"{"servo": 100, "within": "100ms"}"#, 1, 1_600),
    (#"{"quiet": "500ms"}"#, 1, 2_003),
  ])
  func `A session continues until no rule is open`(
    _ rule: String, _ count: Int, _ expected: Int
  ) throws {
    #expect(try end(rule, count: count) == expected)
  }

  @Test func `A byte that waits for the end of a break is sent when the break has ended`()
    throws
  {
    let value = try JSONValue.contents(
      of: Array(#"{"servo": 45, "within": "50ms", "of": "X45."}"#.utf8), path: "rule")
    var session = try SessionRules(
      RuleParser(path: "").rules(Notation(value)), SessionSetup(firmware: .classic)
    ) { (path) throws(TraceError) in try TraceReader(text: [], path: path) }
    // A break whose end is not known yet is stated as one of an hour.
    session.take(Event(.zero + .milliseconds(1_500), .senderBreak(.seconds(3_600))))
    session.take(Event(.zero + .milliseconds(1_510), .receive(Array("X45.".utf8))))
    session.take(Event(.zero + .milliseconds(1_520), .senderBreak(.zero)))
    let end = session.settles(from: .zero + .milliseconds(1_521))
    // A bit after the break, the command begins.
    #expect(end == .zero + .nanoseconds(1_570_104_166))
  }

  @Test func `Failures are in the order of their rules, also that of a rule about a trace`() throws
  {
    let trace = """
      {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 4}
      [1.500000, "rx", "X46."]
      [1.504224, "servo", 46, 1018]

      """
    let rules = [
      Rule(.golden(Golden(path: "aim.jsonl"))), Rule(.reaches(Reach(.servo(46...46, name: nil)))),
    ]
    var session = try SessionRules(rules, SessionSetup(firmware: .classic)) {
      (path) throws(TraceError) in try TraceReader(text: Array(trace.utf8), path: path)
    }
    session.take(Event(.zero + .milliseconds(1_500), .receive(Array("X45.".utf8))))
    session.take(
      Event(.zero + .microseconds(1_504_224), .servo(degrees: 45, microseconds: 1_008)))
    let report = session.finish(at: .zero + .seconds(4), sender: nil)
    #expect(report.failures.map(\.rule) == rules)
  }

  @Test(
    .timeLimit(.minutes(1)),
    arguments: [
      #"{"servo": 100, "within": "50ms", "of": "L"}"#,
      #"{"servo": 100, "within": "50ms", "of": "X*."}"#,
      #"{"servo": 100, "of": "X*."}"#,
    ])
  func `Its end is found in a time that grows with the number of commands`(_ rule: String) throws {
    let end = try end(rule, count: 30_000)
    #expect(end >= 301_495)
  }
}
