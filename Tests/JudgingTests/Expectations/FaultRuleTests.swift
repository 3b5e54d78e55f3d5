import Devices
import Judging
import Sketches
import Testing
import Traces

/// Rules about sessions whose line has faults.
@Suite("Rules about faults") struct FaultRuleTests {
  private func strike(
    _ time: Int64, _ kind: FaultStrike.Kind, _ took: String = "", _ gave: String = ""
  ) -> Event {
    Event(
      .zero + .milliseconds(time),
      .fault(FaultStrike(kind, at: .wire, took: Array(took.utf8), gave: Array(gave.utf8))))
  }

  struct Judged {
    var script: String
    var strikes: [(time: Int64, kind: FaultStrike.Kind, took: String)] = []
    var rule: String
    /// What the failure contains; empty if the rule holds.
    var failure: [String] = []
  }

  private static let notLost = "{never: {lost: 1, unless: fault}}"
  private static let notJunk = "{never: {junk: 1, unless: fault}}"
  private static let recovers = "{recovers: {within: 500ms, after: fault}}"
  private static let whileScanning = "{sometimes: {fault: noise, while: scanning}}"

  static let judged: [Judged] = [
    // A byte that a fault took is lost, but not where a fault explains it.
    Judged(
      script: "1500 X45.", strikes: [(1_600, .drop, "L")], rule: "{never: lost}",
      failure: ["never lost failed", "`L` was lost on the wire (drop) at 1.6 s"]),
    Judged(script: "1500 X45.", strikes: [(1_600, .drop, "L")], rule: notLost),
    Judged(script: "1500 X45.", rule: notLost),
    // Junk right after a fault is its effect; junk long after it, or before it, is not.
    Judged(
      script: "1500 X45. | 3500 ~", strikes: [(1_600, .flip, "")], rule: notJunk,
      failure: ["never junk unless fault failed", "`~` was junk"]),
    Judged(script: "1500 X45. | 1700 ~", strikes: [(1_600, .flip, "")], rule: notJunk),
    Judged(
      script: "1500 X45. | 1700 ~", strikes: [(1_800, .flip, "")], rule: notJunk,
      failure: ["never junk unless fault failed"]),
    Judged(script: "1500 X45.", strikes: [(1_400, .delay, "")], rule: recovers),
    Judged(
      script: "1500 X45.", rule: recovers,
      failure: ["recovers within 500 ms after fault failed", "no fault struck"]),
    Judged(
      script: "1500 X45.", strikes: [(1_600, .delay, "")], rule: recovers,
      failure: ["delay, struck at 1.6 s", "no whole command followed"]),
    // A number without its end swallows the first byte of the next command.
    Judged(
      script: "1500 X12 | 1600 X45.", strikes: [(1_550, .drop, ".")], rule: recovers,
      failure: ["X45.", "came at 1.6 s", "did not take all of it"]),
    // The sketch starts up.
    Judged(
      script: "200 X45.", strikes: [(100, .drop, "")], rule: recovers,
      failure: ["X45.", "came at 0.2 s", "it was obeyed at 1.0", "late"]),
    Judged(
      script: "200 X45.", strikes: [(100, .drop, "")], rule: "{recovers: {within: 2s}}"),
    Judged(
      script: "3900 X45", strikes: [(3_800, .drop, "")], rule: recovers,
      failure: ["no whole command followed"]),
    Judged(script: "1500 L", strikes: [(2_500, .noise, "")], rule: whileScanning),
    Judged(
      script: "1500 L", strikes: [(2_500, .noise, "")],
      rule: "{sometimes: {fault: noise, while: sweeping}}"),
    Judged(script: "1500 L", strikes: [(2_500, .noise, "")], rule: "{sometimes: {fault: any}}"),
    Judged(
      script: "1500 L", strikes: [(1_400, .noise, "")], rule: whileScanning,
      failure: ["noise struck 1 time", "never while the sketch was sweeping"]),
    Judged(
      script: "1500 L", strikes: [(2_500, .noise, "")], rule: "{sometimes: {fault: drop}}",
      failure: ["sometimes fault drop failed", "the fault drop never struck"]),
  ]

  @Test(arguments: judged.indices)
  func `A rule is judged by the faults of the session`(_ index: Int) throws {
    let judged = Self.judged[index]
    var session = RuledSession(script: judged.script)
    session.events = judged.strikes.map { strike($0.time, $0.kind, $0.took) }
    let failures = try session.failures(Self.json(judged.rule))
    #expect(failures.count == (judged.failure.isEmpty ? 0 : 1), "\(judged.rule): \(failures)")
    for part in judged.failure {
      #expect(failures.first?.contains(part) == true, "\(judged.rule): \(failures)")
    }
  }

  @Test func `A restart by a fault explains what its bootloader does not let through`() throws {
    var session = RuledSession(script: "1500 X45. | 2600 X90.")
    session.events = [
      strike(1_450, .reset), Event(.zero + .milliseconds(1_450), .reset(.seconds(2))),
    ]
    let rule = Self.json("{never: {lost: 1, unless: fault}}")
    #expect(try session.failures(rule) == [])
    // The same restart without a fault explains nothing.
    session.events.removeFirst()
    #expect(try session.failures(rule).count == 1)
  }

  /// A session with a device that does not tell the fates of its bytes.
  struct Watched: CustomTestStringConvertible {
    var testDescription: String
    /// Commands and the times at which they begin, in milliseconds. The fault strikes at 2 s.
    var sent: [(Int64, String)]
    /// When the servo moves, in milliseconds.
    var moved: [Int64]
    var restart: Int64?
    /// What the failure contains; nil if the rule holds.
    var failure: String?
  }

  static let watched: [Watched] = [
    Watched(
      testDescription: "an output follows", sent: [(2_100, "X45.")], moved: [2_120]),
    Watched(
      testDescription: "a command that no session has seen to move the servo",
      sent: [(1_000, "X45."), (2_100, "X90.")], moved: [1_020],
      failure: "could not be tested"),
    Watched(
      testDescription: "the command before it, again",
      sent: [(500, "X90."), (1_000, "X45."), (2_100, "X45.")], moved: [520, 1_020],
      failure: "could not be tested"),
    Watched(
      testDescription: "the command before it, again, and then another",
      sent: [(1_000, "X45."), (2_100, "X45."), (2_200, "X90.")], moved: [1_020, 2_220]),
    Watched(
      testDescription: "another one than before it, which has moved the servo",
      sent: [(500, "X90."), (1_000, "X45."), (2_100, "X90.")], moved: [520, 1_020],
      failure: "\"X90.\", came at 2.1 s; no output followed"),
    Watched(
      testDescription: "the same, too late",
      sent: [(500, "X90."), (1_000, "X45."), (2_100, "X90.")], moved: [520, 1_020, 2_700],
      failure: "the next output followed at 2.7 s, 100 ms late"),
    Watched(
      testDescription: "the same behind a restart, which can have left the servo there",
      sent: [(500, "X90."), (1_000, "X45."), (2_100, "X90.")], moved: [520, 1_020],
      restart: 2_000, failure: "could not be tested"),
    Watched(
      testDescription: "the second behind a restart",
      sent: [(500, "X90."), (1_000, "X45."), (2_100, "X90."), (2_300, "X45.")],
      moved: [520, 1_020], restart: 2_000,
      failure: "the first command that must have an output, \"X45.\", came at 2.3 s; no output"),
  ]

  /// A command that changes nothing has no output, and is no failure.
  @Test(arguments: watched)
  func `Without fates, a command that must have an output shows a recovery`(
    _ session: Watched
  ) throws {
    var setup = SessionSetup(firmware: .classic, observes: [.servo])
    setup.reportsFates = false
    var record = SessionRecord(setup)
    var events = session.sent.map { time, text in
      Event(.zero + .milliseconds(time), .receive(Array(text.utf8)))
    }
    events += session.moved.enumerated().map { index, time in
      Event(
        .zero + .milliseconds(time),
        .servo(degrees: UInt8(index), microseconds: 1_000 + UInt16(index)))
    }
    if let restart = session.restart {
      events.append(Event(.zero + .milliseconds(restart), .reset(.zero)))
    }
    events.append(strike(2_000, .drop, "X"))
    for event in events.sorted(by: { $0.time < $1.time }) { record.take(event) }
    record.finish(at: .zero + .milliseconds(4_000))
    let value = try JSONValue.contents(of: Array(Self.json(Self.recovers).utf8), path: "rule")
    let rules = try RuleParser(path: "").rules(Notation(value))
    let failures = RuleReport(rules, record, sender: nil).failures.map {
      $0.notes.joined(separator: "; ")
    }
    #expect(failures.count == (session.failure == nil ? 0 : 1), "\(failures)")
    if let failure = session.failure {
      #expect(failures.first?.contains(failure) == true, "\(failures)")
    }
  }

  /// A later command can be the one that shows it, so the session goes on.
  @Test func `A session without fates lasts until its last command can have had an output`() throws
  {
    var setup = SessionSetup(firmware: .classic, observes: [.servo])
    setup.reportsFates = false
    let value = try JSONValue.contents(of: Array(Self.json(Self.recovers).utf8), path: "rule")
    let rules = try RuleParser(path: "").rules(Notation(value))
    var session = try SessionRules(rules, setup) { path throws(TraceError) in
      throw TraceError(.noInput, path: path, "no rule names a trace")
    }
    for event in [
      strike(2_000, .drop, "X"), Event(.zero + .milliseconds(2_100), .receive(Array("X45.".utf8))),
      Event(.zero + .milliseconds(3_000), .receive(Array("X90.".utf8))),
    ] { session.take(event) }
    let now = Instant.zero + .milliseconds(3_100)
    #expect(session.settles(from: now) == .zero + .milliseconds(3_500))
  }

  @Test(arguments: [
    ("{never: {lots: 1, unless: fault}}", #"did you mean "lost"?"#),
    ("{never: {lost: 2, unless: fault}}", #"expected 1, found "2""#),
    ("{never: {lost: 1, unless: rain}}", #"expected fault, found "rain""#),
    ("{never: {unless: fault}}", "expected what must not happen"),
    ("{recovers: {after: fault}}", "expected a time after a fault"),
    ("{recovers: {within: 0s}}", "over zero"), ("{recovers: {within: 2s, aftr: fault}}", "aftr"),
    ("{recovers: 2s}", "expected a time after a fault"),
    ("{sometimes: {while: scanning}}", "expected a fault"),
    ("{sometimes: {fault: rset}}", #"did you mean "reset"?"#),
    ("{sometimes: {fault: reset, while: sleeping}}", "expected one of starting-up"),
  ])
  func `A mistake is refused`(_ rule: String, _ message: String) throws {
    let value = try JSONValue.contents(of: Array(Self.json(rule).utf8), path: "rule")
    let error = #expect(throws: NotationError.self) {
      try RuleParser(path: "").rules(Notation(value))
    }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  /// A mapping of plain words as JSON.
  private static func json(_ rule: String) -> String {
    var text = ""
    var word = ""
    func end() {
      if !word.isEmpty { text += "\"\(word)\"" }
      word = ""
    }
    for character in rule where character != " " {
      if "{}:,".contains(character) {
        end()
        text.append(character)
      } else {
        word.append(character)
      }
    }
    end()
    return text
  }
}
