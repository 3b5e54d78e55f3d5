import Judging
import Sketches
import Testing
import Traces

@Suite("Rules about pulses that are not as the sketch stored")
struct TwitchRuleTests {
  private static let nine = BoardPin.usualServo

  /// Two aims, at 1.5 and 2.5 s, and pulses that ended at `ends` milliseconds.
  private static func session(
    _ ends: [(end: Int64, stored: UInt16, measured: UInt32)],
    script: String = "1500 X45. | 2500 X60.",
    detached: Bool = false
  ) -> RuledSession {
    var session = RuledSession(script: script)
    session.observes.remove(.pulse)
    session.events = [
      Event(.zero + .milliseconds(1), .output(.attached(microseconds: 1_500, on: nine)))
    ]
    session.events += ends.map {
      Event(
        .zero + .milliseconds($0.end),
        .twitch(Twitch(on: nine, stored: $0.stored, measured: $0.measured)))
    }
    return session
  }

  /// 45 degrees are 1008 us, 60 are 1162.
  private static let twitching = session([(1_600, 1_008, 1_617), (1_700, 1_008, 4)])
  private static let sentence =
    "D9 was set to 45 degrees; 2 pulses were up to 609 us longer or up to 1004 us shorter"

  static let rows: [(rule: String, failure: String?)] = [
    (#"{"servo": 45}"#, sentence), (#"{"servo": 45, "within": "50ms", "of": "X45."}"#, sentence),
    (#"{"servo": "40..50", "before": "3s"}"#, sentence),
    (#"{"servo": 60, "within": "50ms", "of": "X60."}"#, nil),
    (#"{"exactly": [{"servo": 45}, {"servo": 60}]}"#, "exactly servo 45, servo 60 failed"),
    (#"{"ends": {"servo": 60}}"#, nil),
    (#"{"angles": "0..180"}"#, "a pulse of 4 us at 1.7 s is less than 0 degrees"),
    (#"{"angles": "40..95"}"#, "a pulse of 1617 us at 1.6 s is 104 degrees"),
    (#"{"never": "twitch"}"#, sentence), (#"{"never": ["lost", "twitch"]}"#, sentence),
    (#"{"never": "lost"}"#, nil),
    (#"{"twitch": "below 609us"}"#, "a pulse of 1617 us ended at 1.6 s, and 1008 us were stored"),
    (#"{"twitch": "below 1100us"}"#, nil),
  ]

  @Test(arguments: rows)
  func `An angle holds only if the pulses up to the next store agree`(
    _ rule: String, _ failure: String?
  ) throws {
    let failures = try Self.twitching.failures(rule)
    #expect(failures.count == (failure == nil ? 0 : 1), "\(failures)")
    if let failure { #expect(failures.first?.contains(failure) == true, "\(failures)") }
    #expect(try Self.session([]).failures(rule) == [])
  }

  @Test func `The end looks at the last pulses`() throws {
    let rule = #"{"ends": {"servo": 60}}"#
    for (end, holds) in [(2_600, true), (3_500, false)] as [(Int64, Bool)] {
      let failures = try Self.session([(end, 1_162, 1_500)]).failures(rule)
      #expect(
        failures
          == (holds
            ? []
            : ["ends servo 60 failed; D9 was set to 60 degrees; 1 pulse was 338 us longer"]))
    }
  }

  @Test func `A pulse that began before the store belongs to the angle before`() throws {
    // Stored at 1.504 s; the pulse of 20 ms began at 1.490 s.
    let session = Self.session([(1_510, 1_472, 20_000)])
    #expect(try session.failures(#"{"servo": 45, "within": "50ms", "of": "X45."}"#) == [])
    #expect(try session.failures(#"{"servo": 90, "before": "1s"}"#).count == 1)
  }

  @Test func `An angle that is reached again without twitches is reached`() throws {
    let session = Self.session([(1_600, 1_008, 1_617)], script: "1500 X45. | 2500 X60. | 3000 X45.")
    #expect(try session.failures(#"[{"servo": 60}, {"servo": 45}]"#) == [])
  }

  @Test func `A width beyond the range is more than 180 degrees`() throws {
    let d10 = BoardPin(name: "D10")!
    func failures(
      _ writes: [(UInt8, UInt16)], _ pulses: [Double] = [], _ range: ServoRange? = nil,
      _ rule: String = #"{"angles D10": "0..180"}"#
    ) throws -> [String] {
      var session = Self.session([])
      session.hasOtherServos = true
      session.servoRange = range
      session.observes.insert(.pulse)
      session.events += pulses.enumerated().map {
        Event(
          .zero + .milliseconds(1_000 + 20 * Int64($0)),
          .output(.pulse(microseconds: $1, on: d10)))
      }
      session.events += writes.enumerated().map {
        Event(
          .zero + .milliseconds(100 * Int64($0 + 1)),
          .output(.servo(degrees: $1.0, microseconds: $1.1, on: d10)))
      }
      return try session.failures(rule)
    }
    let failure = "angles D10 0..180 failed; a pulse of 2417 us at 0.2 s is more than 180 degrees"
    #expect(
      try failures([(90, 1_472), (180, 2_417)]).map { String($0.prefix(failure.count)) } == [
        failure
      ])
    // The library's jitter, and another scale.
    #expect(try failures([(90, 1_472), (180, 2_408)]) == [])
    #expect(try failures([(90, 1_500), (45, 1_000), (180, 2_500)]) == [])
    #expect(try failures([(180, 2_500)]) == [])
    // The range that is stated.
    let narrow = ServoRange(1_000, 2_000)
    #expect(
      try failures([(180, 2_417)], [], narrow).first?.contains(
        "a pulse of 2417 us at 0.1 s is more than 180 degrees") == true)
    #expect(
      try failures([(0, 900)], [], narrow).first?.contains("is less than 0 degrees") == true)
    #expect(try failures([(0, 1_000), (180, 2_000), (45, 1_250)], [2_008], narrow) == [])
    // Pulses that the session shows.
    #expect(
      try failures([(90, 1_500)], [1_500, 1_500, 2_417], narrow).first?.contains(
        "a pulse of 2417 us at 1.04 s is more than 180 degrees") == true)
    let part = #"{"angles D10": "80..100"}"#
    #expect(
      try failures([(90, 1_472)], [1_472, 1_700], nil, part).first?.contains(
        "a pulse of 1700 us at 1.02 s is 112 degrees") == true)
    // The last whole degree, and the library's jitter.
    #expect(try failures([(100, 1_575)], [1_584], nil, part) == [])
    // It is not known what the pulses mean.
    #expect(try failures([(180, 2_500)], [2_600]) == [])
  }

  @Test func `A session that shows no twitches does not test the rules`() throws {
    var session = Self.session([])
    session.events = []
    for rule in [#"{"never": "twitch"}"#, #"{"twitch": "below 50us"}"#] {
      let failures = try session.failures(rule)
      #expect(
        failures.first?.hasSuffix("no servo was attached, so the rule could not be tested") == true)
    }
  }

  @Test func `An expectation waits for the pulse after the store`() throws {
    func decision(
      _ ends: [(end: Int64, stored: UInt16, measured: UInt32)], at now: Int64
    ) throws -> RuleJudge.Decision {
      let value = try JSONValue.contents(of: Array(#"{"servo": 45}"#.utf8), path: "rules")
      let rule = try RuleParser(path: "").rules(Notation(value))[0]
      return RuleJudge(rule, .next).decide(Self.session(ends).record(until: now))
    }
    // Stored at 1.504 s.
    if case .open(let until) = try decision([], at: 1_510) {
      #expect(until.map { $0 < .zero + .milliseconds(1_530) } == true)
    } else {
      Issue.record("decided before a pulse")
    }
    if case .holds = try decision([], at: 1_530) {} else { Issue.record("does not hold") }
    if case .holds = try decision([(1_520, 1_008, 1_200)], at: 1_530) {
      Issue.record("holds with a twitch")
    }
  }

  @Test(arguments: ["below 19us", "below 50ms", "50us", "below -1us"])
  func `A bound that is not seen is refused`(_ text: String) throws {
    let value = try JSONValue.contents(of: Array("{\"twitch\": \"\(text)\"}".utf8), path: "rules")
    #expect(throws: (any Error).self) { try RuleParser(path: "").rules(Notation(value)) }
  }
}
