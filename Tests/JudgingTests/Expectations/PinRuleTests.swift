import Judging
import Sketches
import Testing
import Traces

/// Rules about the levels of pins, in a session whose levels are given.
@Suite struct PinRuleTests {
  private static func profile() throws -> Profile {
    var profile = Profile(name: "mine", commands: try ["F", "A", "S"].map { try CommandForm($0) })
    profile.pins = try [
      .init("fire", #require(BoardPin(name: "D7"))), .init("laser", #require(BoardPin(name: "D8"))),
    ]
    return profile
  }

  /// A session's record. `script`: milliseconds with a byte to send or a pin's level, for example
  /// `1000 F | 1001 D7 1 | 1051 D7 0`.
  private static func record(
    _ script: String, until now: Int64? = nil, end: Int64 = 3_000,
    _ setup: ((inout SessionSetup) -> Void)? = nil
  ) throws -> SessionRecord {
    var session = SessionSetup(firmware: .guarded, profile: try profile(), reportsFates: false)
    setup?(&session)
    var record = SessionRecord(session)
    for part in script.split(separator: "|").map({ $0.split(separator: " ") }) {
      let time = Instant.zero + .milliseconds(try #require(Int64(part[0])))
      if let now, time > .zero + .milliseconds(now) { break }
      if part.count == 2 {
        record.take(Event(time, .receive(Array(part[1].utf8))))
      } else {
        let pin = try #require(BoardPin(name: String(part[1])))
        record.take(Event(time, .output(.pin(pin, isHigh: part[2] == "1"))))
      }
    }
    if let now { record.advance(to: .zero + .milliseconds(now)) }
    if now == nil { record.finish(at: .zero + .milliseconds(end)) }
    return record
  }

  private static func rules(_ text: String) throws -> [Rule] {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rules")
    return try RuleParser(path: "").rules(Notation(value))
  }

  private static func failures(_ rules: String, _ record: SessionRecord) throws -> [String] {
    RuleReport(try Self.rules(rules), record, sender: nil)
      .failures.map { ([$0.headline] + $0.notes).joined(separator: "; ") }
  }

  /// The trigger is high from 1.01 s to 1.06 s, and low again from 2.02 s on after a pulse of 12 ms.
  private static let shots =
    "1000 F | 1010 D7 1 | 1060 D7 0 | 1500 A | 1501 D8 1 | 1600 S | 1601 D8 0 | 2000 F "
    + "| 2008 D7 1 | 2020 D7 0"

  static let held = [
    #"{"pin fire": 1, "within": "20ms", "of": "F"}"#,
    #"{"pin D7": "high", "within": "10ms", "of": "F"}"#,
    #"{"pin 7": 0, "within": "70ms", "of": "F"}"#,
    // A level that the pin has already, and keeps, counts.
    #"{"pin fire": 0, "within": "1ms", "of": "S"}"#, #"{"pin fire": 0, "of": "A"}"#,
    #"{"pin D13": 0, "of": "F"}"#, #"{"pin laser": 0, "before": "1s"}"#,
    #"[{"pin laser": 0}, {"pin laser": 1}, {"pin laser": 0}]"#,
    #"[{"pin fire": "pulse", "at most": "20ms"}]"#,
    #"[{"pin fire": "pulse"}, {"pin fire": "pulse", "at most": "20ms"}]"#,
    #"{"pin fire": "pulse", "at least": "50ms", "at most": "50ms"}"#,
    #"{"pin laser": "high pulse", "at least": "90ms", "within": "10ms", "of": "A"}"#,
    #"{"pin fire": "low pulse", "at least": "900ms"}"#,
    #"{"pin fire": "pulse", "count": 2}"#, #"{"pin laser": "pulse", "count": "at most 1"}"#,
    #"{"pin fire": "pulse", "at least": "10ms", "count": "2..4"}"#,
    #"{"pin fire": "pulse", "count": 1, "within": "100ms", "of": "F"}"#,
    #"{"pin fire": "pulse", "count": 0, "within": "100ms", "of": "A"}"#,
    // From one rising edge to the next: 50 ms of 998 ms.
    #"{"pin fire": "duty", "at least": "5%", "at most": "5.1%"}"#,
    #"{"exactly": [{"pin laser": 1}, {"pin laser": 0}]}"#,
    #"{"never": {"pin D13": 1}}"#, #"{"never": {"pin fire": "pulse", "at least": "51ms"}}"#,
    #"{"never": ["lost", {"pin fire": "pulse", "at most": "11ms"}]}"#,
    #"{"ends": {"pin fire": 0, "pin laser": "low"}}"#,
  ]

  @Test(arguments: held)
  func `A rule holds when the pin does as it says`(_ rule: String) throws {
    #expect(try Self.failures(rule, Self.record(Self.shots)) == [])
  }

  static let failing = [
    (
      #"{"pin fire": 1, "within": "9ms", "of": "F"}"#,
      #"pin fire 1 within 9 ms of "F" failed; the command's first byte arrived at 1.000000 s; "#
        + "fire (D7) stayed at 0 until 1.01 s, 1 ms late"
    ),
    (
      #"{"pin laser": 1, "within": "100ms", "of": "S"}"#,
      "laser (D8) went to 0 at 1.601 s and stayed there to the end, 3 s"
    ),
    (
      // The level of the moment before does not answer the command.
      #"{"pin laser": 0, "within": "50ms", "of": "A"}"#,
      "laser (D8) went to 1 at 1.501 s, and back to 0 at 1.601 s, 51 ms late"
    ),
    (#"{"pin D13": 1, "within": "50ms", "of": "A"}"#, "D13 stayed at 0 to the end, 3 s"),
    (
      #"{"pin fire": "pulse", "at least": "40ms", "at most": "60ms", "within": "100ms", "of": "F"}"#,
      "pin fire pulse at least 40 ms, at most 60 ms within 100 ms of \"F\" failed; "
        + "the command's first byte arrived at 2.000000 s; "
        + "fire (D7) had a pulse of 12 ms at 2.008 s"
    ),
    (
      #"{"pin fire": "pulse", "at least": "100ms"}"#,
      "fire (D7) had a pulse of 50 ms at 1.01 s; fire (D7) had a pulse of 12 ms at 2.008 s"
    ),
    (
      #"{"pin D13": "pulse"}"#, "pin D13 pulse failed; D13 stayed at 0 to the end, 3 s"
    ),
    (
      #"{"pin laser": "low pulse"}"#,
      "pin laser low pulse failed; laser (D8) went to 0 at 1.601 s and stayed there to the end, 3 s: "
        + "its pulse did not end"
    ),
    (
      #"{"pin fire": "pulse", "count": 3}"#,
      "pin fire pulse, count 3 failed; fire (D7) had 2 pulses, at 1.01 s, 2.008 s"
    ),
    (
      #"{"pin fire": "pulse", "at least": "20ms", "count": 2}"#,
      "fire (D7) had a pulse of 12 ms at 2.008 s"
    ),
    (
      #"{"pin fire": "pulse", "count": 2, "within": "100ms", "of": "F"}"#,
      "fire (D7) had 1 pulse, at 1.01 s"
    ),
    (
      #"{"pin fire": "duty", "at least": "40%"}"#,
      "fire (D7) was high for 5 % of the cycle of 998 ms at 1.01 s"
    ),
    (
      #"{"pin D13": "duty", "at most": "40%"}"#, "D13 stayed at 0 to the end, 3 s"
    ),
    (
      #"{"pin laser": "duty", "at most": "40%"}"#,
      "laser (D8) was at 0 from 1.601 s on: no whole cycle followed; a rule about a constant level is"
        + " pin laser: 0 or 1"
    ),
    (
      #"{"never": {"pin laser": 1}}"#,
      "never pin laser 1 failed; laser (D8) was at 1 from 1.501 s to"
    ),
    (
      #"{"never": {"pin fire": "pulse", "at least": "50ms"}}"#,
      "fire (D7) had a pulse of 50 ms at 1.01 s"
    ),
    (
      #"{"never": {"pin laser": 1, "while": "scanning"}}"#,
      "never pin laser 1 while scanning failed; the bench does not know when this sketch is sweeping"
    ),
    (
      #"{"ends": {"pin laser": 1}}"#,
      "ends pin laser 1 failed; laser (D8) was at 0 from 1.601 s on"
    ),
    (#"{"ends": {"pin D13": 1}}"#, "D13 was at 0 from the start on"),
    (
      #"{"pin fir": 1}"#,
      #"there is no pin "fir", so the rule could not be tested; did you mean "fire"?"#
    ),
    (
      #"{"pin D20": 1}"#,
      #"there is no pin "D20", so the rule could not be tested; the profile names"#
    ),
    (#"{"pin fire": 1, "within": "1ms", "of": "X"}"#, #"no "X" was sent, so the rule"#),
    (
      #"{"exactly": [{"pin laser": 1}, {"pin laser": 1}]}"#,
      "exactly pin laser 1, pin laser 1 failed"
    ),
  ]

  @Test(arguments: failing)
  func `A rule fails that the pin breaks, and says what the pin did`(
    _ rule: String, _ expected: String
  ) throws {
    let failures = try Self.failures(rule, Self.record(Self.shots))
    #expect(failures.count == 1)
    #expect(failures.first?.contains(expected) == true, "\(failures)")
  }

  @Test(arguments: [
    (#"{"pin fire": "pulse"}"#, "its pulse did not end"),
    (#"{"pin fire": "pulse", "at least": "10ms", "within": "1s", "of": "F"}"#, "did not end"),
    (#"{"pin fire": "pulse", "count": "at most 1"}"#, "had 0 pulses"),
    (#"{"never": {"pin fire": "pulse", "at least": "500ms"}}"#, "stayed there to the end, 3 s"),
    (#"{"ends": {"pin fire": 0}}"#, "fire (D7) was at 1 from 2.01 s on"),
  ])
  func `A pulse without its end is told, and counts as none`(
    _ rule: String, _ expected: String
  ) throws {
    let record = try Self.record("2000 F | 2010 D7 1")
    let failures = try Self.failures(rule, record)
    #expect(failures.count == 1)
    #expect(failures.first?.contains(expected) == true, "\(failures)")
    // It is not longer than it may be, as far as is known.
    let never = #"{"never": {"pin fire": "pulse", "at least": "2s"}}"#
    #expect(try Self.failures(never, record) == [])
  }

  @Test(arguments: [
    (Set([Output.Kind.servo]), PinSelection.all, "D7", "the session shows no levels of pins"),
    (Set(Output.Kind.allCases), .some([]), "fire", "does not show the level of D7"),
    (Set(Output.Kind.allCases), .all, "D9", "does not show the level of D9"),
    (Set(Output.Kind.allCases), .all, "D1", "does not show the level of D1"),
    (Set(Output.Kind.allCases), .all, "pca9685@0x40:3", "there is no pin"),
  ])
  func `A level that the session does not show cannot be judged`(
    kinds: Set<Output.Kind>, pins: PinSelection, name: String, words: String
  ) throws {
    for rule in [
      #"{"pin \#(name)": 0}"#, #"{"never": {"pin \#(name)": 1}}"#,
      #"{"ends": {"pin \#(name)": 0}}"#,
    ] {
      let failures = try Self.failures(
        rule,
        Self.record("1000 F") { setup in
          setup.observes = kinds
          setup.pins = pins
        })
      #expect(failures.count == 1)
      #expect(failures.first?.contains(words) == true, "\(failures)")
    }
  }

  @Test(arguments: [
    (
      "1500 L | 3000 X90.", "2000 D8 1 | 2200 D8 0", "scanning",
      "laser D8 was at 1 from 2 s to 2.2 s"
    ),
    ("1500 L | 3000 X90.", "1000 D8 1 | 1499 D8 0", "scanning", nil),
    // The level changes at the same time as the sketch begins, as far as a model can tell.
    ("1500 L | 3000 X90.", "1000 D8 1 | 1501 D8 0", "scanning", nil),
    ("1500 L | 3000 X90.", "3100 D8 1", "scanning", nil),
    (
      "1500 L | 3000 X9 | 3400 0.", "3200 D8 1 | 3300 D8 0", "scanning",
      "while the sketch was sweeping"
    ),
    ("1500 X90.", "3100 D8 1", "scanning", "the sketch was never sweeping"),
    ("1500 X90.", "3100 D8 1", "idle", "while the sketch was idle"),
    (
      "1500 X | 2100 90.", "1600 D8 1 | 1650 D8 0", "reading",
      "while the sketch was reading a number"
    ),
  ])
  func `A rule speaks of what a sketch of the bench does meanwhile`(
    script: String, levels: String, activity: String, failure: String?
  ) throws {
    var session = RuledSession(firmware: .guarded, script: script)
    for part in levels.split(separator: "|").map({ $0.split(separator: " ") }) {
      let pin = try #require(BoardPin(name: String(part[1])))
      session.events.append(
        Event(
          .zero + .milliseconds(try #require(Int64(part[0]))),
          .output(.pin(pin, isHigh: part[2] == "1"))))
    }
    let failures = try session.failures(#"{"never": {"pin D8": 1, "while": "\#(activity)"}}"#)
    #expect(failures.count == (failure == nil ? 0 : 1), "\(failures)")
    if let failure {
      #expect(
        failures.first?.contains(failure.replacing("laser ", with: "")) == true, "\(failures)")
    }
  }

  @Test func `A rule is open until its pulse is over`() throws {
    func decide(_ rule: String, until now: Int64) throws -> RuleJudge.Decision {
      RuleJudge(try #require(Self.rules(rule).first), .next)
        .decide(try Self.record(Self.shots, until: now))
    }
    let pulse = #"{"pin fire": "pulse", "at most": "60ms", "within": "50ms", "of": "F"}"#
    #expect(try decide(pulse, until: 900) == .open(until: nil))
    #expect(try decide(pulse, until: 1_005) == .open(until: .zero + .milliseconds(1_050)))
    // The pulse began in time, and can still be short enough.
    #expect(try decide(pulse, until: 1_055) == .open(until: .zero + .milliseconds(1_070)))
    guard case .holds(let after) = try decide(pulse, until: 1_061) else {
      Issue.record("the pulse was over at 1.06 s")
      return
    }
    #expect(after.position.time == .zero + .milliseconds(1_010))
    let count = #"{"pin fire": "pulse", "count": 1, "within": "100ms", "of": "F"}"#
    #expect(try decide(count, until: 1_080) == .open(until: .zero + .milliseconds(1_100)))
    guard case .holds = try decide(count, until: 1_101) else {
      Issue.record("the time was up at 1.1 s")
      return
    }
    #expect(
      try decide(#"{"pin fire": "pulse", "count": 2}"#, until: 2_900) == .open(until: nil))
    guard case .fails = try decide(#"{"pin fire": "pulse", "count": 1}"#, until: 2_900) else {
      Issue.record("there were two")
      return
    }
  }

  @Test func `Levels before a pin was watched are not known`() throws {
    var record = SessionRecord(
      SessionSetup(firmware: .guarded, profile: try Self.profile(), reportsFates: false))
    let pin = try #require(BoardPin(name: "D9"))
    record.take(Event(.zero + .milliseconds(1_000), .receive(Array("F".utf8))))
    record.watch([pin], from: .zero + .milliseconds(1_500))
    record.take(Event(.zero + .milliseconds(1_600), .output(.pin(pin, isHigh: true))))
    record.finish(at: .zero + .seconds(2))
    #expect(
      try Self.failures(#"{"pin D9": 1, "within": "100ms", "of": "F"}"#, record).first?
        .contains("D9 is watched only since 1.5 s") == true)
    #expect(try Self.failures(#"[{"pin D9": 0}, {"pin D9": 1}]"#, record) == [])

    var unchanged = SessionRecord(
      SessionSetup(firmware: .guarded, profile: try Self.profile(), reportsFates: false))
    unchanged.watch([pin], from: .zero + .milliseconds(1_500))
    unchanged.finish(at: .zero + .seconds(2))
    #expect(
      try Self.failures(#"{"ends": {"pin D9": 0}}"#, unchanged).first?
        .contains("the level of D9 is not known: it is watched since 1.5 s") == true)
  }

  @Test(arguments: [
    (#"{"never": {"pin D8": 1}}"#, nil), (#"{"pin D7": "pulse", "at most": "50ms"}"#, nil),
    (#"{"never": {"pin D9": 1}}"#, "does not show the level of D9"),
    (#"{"pin D7": "pulse", "at most": "40ms"}"#, "D7 had a pulse of 50 ms at 1.01 s"),
  ])
  func `A recorded session shows the pins of its events and of its header`(
    rule: String, failure: String?
  ) throws {
    let text = """
      {"format": "sentry-trace", "version": 1, "duration": 3, "pins": ["D8"]}
      [1, "rx", "X90."]
      [1.01, "pin", "D7", 1]
      [1.06, "pin", "D7", 0]

      """
    var reader = try TraceReader(text: Array(text.utf8), path: "t.jsonl")
    let report = try RuleReport(try Self.rules(rule), &reader) { (path) throws(TraceError) in
      try TraceReader(text: [], path: path)
    }
    #expect(report.failures.count == (failure == nil ? 0 : 1), "\(report.text)")
    if let failure { #expect(report.text.contains(failure), "\(report.text)") }
  }

  @Test func `A failure shows the lines about its own pin`() throws {
    var script = "1000 F"
    for time in 1..<40 { script += " | \(1_000 + time) D13 \(time % 2)" }
    script += " | 1100 D7 1 | 1150 D7 0"
    let rule = #"{"pin fire": 1, "within": "50ms", "of": "F"}"#
    let failure = try #require(
      RuleReport(try Self.rules(rule), Self.record(script), sender: nil).failures.first)
    #expect(
      failure.text == """
        pin fire 1 within 50 ms of "F" failed
          the command's first byte arrived at 1.000000 s
          fire (D7) stayed at 0 until 1.1 s, 50 ms late
          >  2  [1.000000, "rx", "F"]
            42  [1.100000, "pin", "D7", 1]
            43  [1.150000, "pin", "D7", 0]
        """)
  }

  @Test(arguments: [
    (#"{"pin": 1}"#, "for example pin D7: 1"),
    (#"{"pin D7": 2}"#, "expected 1, 0, pulse, low pulse"),
    (#"{"pins fire": 1}"#, #"did you mean "pin"?"#),
    (#"{"pin D7": 1, "at least": "5ms"}"#, #"no "at least" next to a level"#),
    (#"{"servo": 1, "at least": "5ms"}"#, #"no "at least" next to "servo""#),
    (#"{"tx": "a", "count": 2}"#, #"no "count" next to "tx""#),
    (#"{"pin D7": "pulse", "at least": "50"}"#, "write 50ms or 50s"),
    (#"{"pin D7": "pulse", "at least": "50ms", "at most": "20ms"}"#, "not to be over"),
    (#"{"pin D7": 1, "count": 2}"#, #""count" requires "pin D7: pulse""#),
    (#"{"pin D7": "pulse", "count": "two"}"#, "expected a number of pulses"),
    (#"{"pin D7": "pulse", "count": 2, "of": "F"}"#, #""count" requires "within" and "of""#),
    (#"{"pin D7": "pulse", "count": 2, "within": "5ms"}"#, #""count" requires "within" and "of""#),
    (#"{"pin D7": "duty"}"#, #""duty" requires "at least" or "at most""#),
    (#"{"pin D7": "duty", "at least": "120%"}"#, "from 0% to 100%"),
    (#"{"never": {"pin D7": 1, "while": "scaning"}}"#, #"did you mean "scanning"?"#),
    (#"{"never": {"pin D7": 1, "wile": "scanning"}}"#, #"did you mean "while"?"#),
    (#"{"never": {"while": "scanning"}}"#, "expected a pin"),
    (#"{"never": {"lost": 1}}"#, "expected a pin"),
    (#"{"never": ["lots", {"pin D7": 1}]}"#, #"did you mean "lost"?"#),
    (#"{"exactly": [{"pin D7": "pulse"}]}"#, "expected a level"),
    (#"{"ends": {"pin D7": "pulse"}}"#, "expected a level"),
  ])
  func `A mistake in a rule about a pin is refused with what was expected`(
    _ rule: String, _ message: String
  ) {
    let error = #expect(throws: NotationError.self) { try Self.rules(rule) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}
