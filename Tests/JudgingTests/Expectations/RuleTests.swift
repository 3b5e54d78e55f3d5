import Judging
import Sketches
import Testing
import Traces

@Suite struct RuleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String { "\(firmware.rawValue) \(script): \(rules)" }
    var script: String
    var rules: String
    var firmware = Firmware.classic
    var end: Int64 = 4_000

    init(
      _ script: String, _ rules: String, _ firmware: Firmware = .classic, end: Int64 = 4_000
    ) {
      self.script = script
      self.rules = rules
      self.firmware = firmware
      self.end = end
    }

    var session: RuledSession { RuledSession(firmware: firmware, script: script, end: end) }
  }

  static let held = [
    Case("1500 X45.", #"{"servo": 45}"#),
    Case("1500 X45.", #"{"servo": "45°", "within": "50ms", "of": "X45."}"#),
    Case("1500 X45.", #"{"servo": "44..46", "within": "50ms", "of": "X*."}"#),
    Case("1500 X45.", #"{"servo D9": "45 ± 1", "within": "50ms"}"#),
    Case("1500 X45.", #"{"servo": 45, "before": "1.6s"}"#),
    // Already there: reached when the command was taken.
    Case("1500 X90. | 2000 X90.", #"{"servo": 90, "within": "50ms", "of": "X90."}"#),
    Case("1500 X45. | 1700 X135.", #"[{"servo": 45}, {"servo": 135}]"#),
    Case("1500 X45. | 1600 X60. | 1700 X135.", #"[{"servo": 45}, {"servo": 135}]"#),
    Case("1500 X45. | 1700 X135.", #"{"exactly": [{"servo": 45}, {"servo": 135}]}"#),
    Case("1500 X45. | 1700 X135.", #"{"never": ["lost", "junk", "swallowed", "abandoned"]}"#),
    Case("1500 X45. | 1700 X135.", #"{"never": ["refused", "wrong-speed", "reset"]}"#),
    // The end cut the number off.
    Case("1500 X110", #"{"never": ["abandoned"]}"#, end: 1_515),
    Case("1500 X45. | 1700 X135.", #"{"angles": "45..135"}"#),
    Case("1500 X45.", #"{"quiet": "2s"}"#),
    Case("1500 X45. | 2600 X60.", #"{"commands": "at most 1 in 1s"}"#),
    Case("1500 X45. | 1520 X60.", #"{"gap": "at least 20ms"}"#),
    Case("1500 X45.L", #"{"commands": "2"}"#),
    Case("1500 X45.L", #"{"commands": "1..3"}"#),
    Case("1500 X45.", #"{"ends": {"servo": 45, "sweeping": false}}"#),
    Case("1500 L", #"{"ends": {"sweeping": true}}"#),
    // Any byte ends the sweep of a sketch that does not poll.
    Case("1500 L | 3000 h", #"{"ends": {"sweeping": "no"}}"#),
    Case("1500 L | 3000 X4", #"{"ends": {"sweeping": "no"}}"#),
    Case("1500 L | 3900 X4", #"{"ends": {"sweeping": "yes"}}"#, .guarded),
    Case("1500 X110.", #"{"pulse": "1678us ± 3us", "within": "60ms", "of": "X110."}"#),
    Case("1500 X110.", #"{"shaft": "110 ± 2", "within": "400ms", "of": "X110."}"#),
    Case("1500 T", #"{"tone": 800, "within": "100ms", "of": "T"}"#, .buzzer),
    Case("1500 ?", #"{"tx": "090 *", "within": "100ms", "of": "?"}"#, .guarded),
    // A byte at a time is the same command.
    Case("1500 X | 1550 4 | 1600 5 | 1650 .", #"{"servo": 45, "within": "200ms", "of": "X45."}"#),
    // A rule with `of` does not depend on the order of the rules.
    Case(
      "1500 X45. | 1700 X135.",
      #"[{"servo": 135}, {"servo": 45, "within": "50ms", "of": "X45."}]"#),
    // Bytes that the model does not know can be a command of the sketch.
    Case("1500 h | 1510 X45.", #"{"servo": 45, "within": "50ms", "of": "h"}"#),
    // The last command is cut off by the end, but others were tested.
    Case("1500 X45. | 3999 X60.", #"{"servo": "0..180", "within": "50ms", "of": "X*."}"#),
    // So are the commands that had not arrived by then, complete or not.
    Case("1500 X45. | 3990 X60.X60.X60.X4", #"{"servo": 45, "within": "50ms", "of": "X45."}"#),
    Case("1500 X45. | 3990 X60.X60.X60.X45.", #"{"servo": 45, "of": "X45."}"#),
  ]

  @Test(arguments: held)
  func `A rule holds when the session is as it says`(_ example: Case) throws {
    #expect(try example.session.failures(example.rules) == [])
  }

  static let failing: [(Case, String)] = [
    (
      Case("1500 X45.", #"{"servo": 46}"#),
      "servo 46 failed; the last was servo 45 at 1.504224 s; the sketch was idle from"
    ),
    (
      Case("1500 X45. | 1700 X135.", #"[{"servo": 135}, {"servo": 45}]"#),
      "servo 45 failed"
    ),
    (
      Case("1500 L", #"{"servo": 100}"#), "servo 100 failed"
    ),
    (
      // The sketch was at 90 before the first byte.
      Case("1500 X90", #"{"servo": 90, "within": "50ms"}"#),
      "servo 90 within 50 ms failed"
    ),
    (
      // The sweep continues while the sketch reads a number.
      Case(
        "1500 L | 3000 X | 3200 45.",
        #"{"servo": "100..140", "within": "150ms", "of": "X*."}"#, .guarded),
      #"servo 100..140 within 150 ms of "X*." failed"#
    ),
    (
      // A number longer than the text that is kept.
      Case(
        "1500 X\(String(repeating: "0", count: 70))45. | 2000 X46.",
        #"{"servo": 46, "within": "100ms", "of": "X*."}"#),
      #"servo 46 within 100 ms of "X*." failed"#
    ),
    (
      Case("1500 X90.", #"{"servo": 110, "of": "X110."}"#),
      #"servo 110 of "X110." failed; no "X110." was sent, so the rule could not be tested"#
    ),
    (
      Case("1500 L | 2000 X9. | 2500 X80. | 3600 X80.", #"{"servo": 90, "of": "X90."}"#),
      #"no "X90." was sent, so the rule could not be tested; "#
        + #"what was sent instead: "X9.", "X80.", "L""#
    ),
    (
      Case(
        "1500 X1.X2.X3.X4.X5.X6.X10.", #"{"servo": 90, "of": "X10*9."}"#),
      #"what was sent instead: "X10.", "X1.", "X2.", "X3.", "X4." and 2 more"#
    ),
    (Case("", #"{"servo": 90, "of": "X90."}"#), "nothing was sent"),
    (
      Case("1500 X45.", #"{"servo": 45, "of": "X45"}"#),
      #"the rule could not be tested; "X45." was sent: "of" must include the full stop"#
    ),
    (
      Case("1500 X45. | 1600 X60. | 1700 X135.", #"{"exactly": [{"servo": 45}, {"servo": 135}]}"#),
      "exactly servo 45, servo 135 failed; other outputs came between them"
    ),
    (
      Case("1500 X110 | 1700 .", #"{"servo": 110, "within": "50ms", "of": "X110."}"#),
      #"servo 110 within 50 ms of "X110." failed; "#
        + "the command's first byte arrived at 1.500000 s, its last at 1.700000 s; "
        + "servo stayed at 90 until 1.701099 s, 151.099 ms late"
    ),
    (
      Case("1500 X110", #"{"servo": 110, "within": "50ms", "of": "X110."}"#),
      #"servo 110 within 50 ms of "X110." failed; "#
        + #"the command's first byte arrived at 1.500000 s; its last, ".", never came"#
    ),
    (
      Case("1500 X110 | 1600 X90.", #"{"servo": 110, "within": "500ms", "of": "X110."}"#),
      #"its last, ".", never came"#
    ),
    (
      // The end of the session does not excuse a command that misses a fixed time.
      Case("1500 X45. | 2000 X60.", #"{"servo": 45, "of": "X*.", "before": "9s"}"#),
      #"of "X*." before 9 s failed; the command's first byte arrived at 2.000000 s; servo stayed"#
    ),
    (
      Case("1500 X45. | 2000 X110", #"{"servo": "0..180", "within": "50ms", "of": "X*"}"#),
      #"the command's first byte arrived at 2.000000 s; its end never came"#
    ),
    (
      Case("1500 X1 | 3000 X110.", #"{"servo": 110, "of": "X110."}"#, .guarded),
      #"its last, ".", never came; servo stayed at 90 until 3.005283 s, then went to 110; the"#
    ),
    (
      Case("1500 h", #"{"never": ["junk"]}"#),
      "never junk failed; `h` was junk (no command begins with it) at 1.501042 s; "
        + "the sketch was idle from"
    ),
    (
      Case("1500 X45X", #"{"never": ["lost", "swallowed"]}"#),
      "never lost, swallowed failed; `X` was swallowed"
    ),
    (
      Case("1500 X999.", #"{"never": ["abandoned"]}"#, .guarded),
      "never abandoned failed; `9` was abandoned with its number"
    ),
    (
      Case("1500 X110", #"{"never": ["abandoned"]}"#),
      #"never abandoned failed; "X110" was sent without its end at 1.5 s"#
    ),
    // The session ends 40 ms after its sender.
    (
      Case("1500 X110", #"{"never": ["abandoned"]}"#, end: 1_544),
      #"never abandoned failed; "X110" was sent without its end at 1.5 s"#
    ),
    (Case("", #"{"never": "lost"}"#), "no byte was received or refused"),
    (
      Case("1500 X20.", #"{"angles": "30..150"}"#),
      "angles 30..150 failed; servo went to 20 at 1.504224 s"
    ),
    (Case("3900 X45.", #"{"quiet": "500ms"}"#), "quiet 500 ms failed; the last byte or output"),
    (
      Case("1500 X45. | 1600 X60. | 1700 X70.", #"{"commands": "at most 2 in 1s"}"#),
      "commands at most 2 in 1 s failed; 3 commands came in 200 ms, from 1.5 s on"
    ),
    (
      Case("1500 X45. | 1510 X60.", #"{"gap": "at least 20ms"}"#),
      #"gap at least 20 ms failed; "X60." came at 1.51 s, 10 ms after "X45.""#
    ),
    (
      Case("1500 X45.", #"{"commands": "at least 2"}"#),
      "commands at least 2 failed; the sender sent 1 command"
    ),
    (
      Case("1500 X45.", #"{"commands": "at most 0 in 1 s"}"#),
      "commands at most 0 in 1 s failed; 1 command came in 0 us, from 1.5 s on"
    ),
    (
      Case("1500 X45.", #"{"commands": 0}"#), #"command 1, "X45.", came at 1.5 s"#
    ),
    (
      Case("1500 X45.", #"{"ends": {"servo": 46, "sweeping": true}}"#),
      "ends servo 46, sweeping failed; servo was at 45; the sketch was idle from"
    ),
    (Case("1500 T", #"{"tone": 500}"#, .buzzer), "tone 500 failed; the tone was 800"),
    (Case("1500 X45.", #"{"servo pan": 45}"#), "the device has no servo pan"),
    (
      Case("1500 X110.", #"{"shaft": "110 ± 2", "within": "10ms", "of": "X110."}"#),
      "the shaft was at"
    ),
    (
      Case("3999 X45.", #"{"servo": 45, "within": "50ms", "of": "X45."}"#), "before the time was up"
    ),
  ]

  private static func write(_ milliseconds: Int64, _ degrees: UInt8, _ pulse: UInt16) -> Event {
    Event(
      .zero + .milliseconds(milliseconds),
      .servo(degrees: degrees, microseconds: pulse, on: BoardPin(name: "D10")))
  }

  static let named: [(rule: String, failure: String?)] = [
    (#"{"servo D10": 110, "within": "50ms", "of": "X45."}"#, nil),
    (#"{"servo D10": 110, "within": "50ms", "of": "X45."}"#, nil),
    (#"{"servo D9": 45, "within": "50ms", "of": "X45."}"#, nil),
    (#"{"servo": 45, "within": "50ms", "of": "X45."}"#, nil),
    (#"{"exactly": [{"servo D10": 110}, {"servo D10": 20}]}"#, nil),
    (#"{"exactly": [{"servo": 45}, {"servo D10": 110}]}"#, nil),
    (
      #"{"servo D10": 45, "within": "50ms", "of": "X45."}"#,
      "servo D10 45 within 50 ms of \"X45.\" failed; "
        + "the command's first byte arrived at 1.500000 s; servo D10 stayed at 100 until"
    ),
    (#"{"servo": 110, "within": "50ms", "of": "X45."}"#, "servo stayed at 90 until"),
    (#"{"servo pan": 45}"#, "the device has no servo pan"),
    (#"{"servo D14": 45}"#, "the device has no servo D14"),
    (#"{"servo D11": 45}"#, "there was no servo D11 event"),
    // The pulses turn the shaft, and the other servo's do not.
    (#"{"shaft D10": "110 ± 2", "within": "300ms", "of": "X45."}"#, nil),
    (#"{"shaft": "45 ± 2", "within": "400ms", "of": "X45."}"#, nil),
    (#"{"shaft D9": "45 ± 2", "within": "400ms", "of": "X45."}"#, nil),
    (
      #"{"shaft D10": "45 ± 2", "within": "20ms", "of": "X45."}"#,
      "shaft D10 45 ± 2 degrees within 20 ms of \"X45.\" failed; "
        + "the command's first byte arrived at 1.500000 s; the shaft D10 was at"
    ),
    (#"{"pulse D10": "1678us", "within": "100ms", "of": "X45."}"#, nil),
    (#"{"pulse D10": "1008us"}"#, "the pulse D10 was 1575 us"),
    (#"{"pulse D11": "1008us"}"#, "there was no pulse D11 event"),
    (#"{"angles D10": "20..110"}"#, nil), (#"{"angles": "45..90"}"#, nil),
    (#"{"angles D10": "30..150"}"#, "servo D10 went to 20 at 1.9"),
    (#"{"angles D11": "30..150"}"#, "the servo D11 was never commanded"),
    (#"{"angles pan": "30..150"}"#, "the device has no servo pan"),
    (#"{"ends": {"servo": 45, "servo D10": 20, "sweeping": "no"}}"#, nil),
    (#"{"ends": {"servo D10": 110}}"#, "ends servo D10 110 failed; servo D10 was at 20"),
    (#"{"ends": {"servo D11": 110}}"#, "the servo D11 was never commanded"),
    (#"{"ends": {"servo pan": 110}}"#, "the device has no servo pan"),
  ]

  @Test(arguments: named)
  func `A rule names another servo by its pin or its name`(
    _ rule: String, _ failure: String?
  ) throws {
    var session = RuledSession(script: "1500 X45.")
    session.hasOtherServos = true
    session.events = [
      Self.write(100, 100, 1_575), Self.write(1_510, 110, 1_678), Self.write(1_900, 20, 750),
    ]
    for period in 5..<100 {
      let width: Double = period < 76 ? 1_575 : period < 95 ? 1_678 : 750
      session.events.append(
        Event(
          .zero + .milliseconds(Int64(period) * 20),
          .output(.pulse(microseconds: width, on: BoardPin(name: "D10")))))
    }
    let failures = try session.failures(rule)
    #expect(failures.count == (failure == nil ? 0 : 1), "\(failures)")
    if let failure { #expect(failures.first?.contains(failure) == true, "\(failures)") }
  }

  @Test(arguments: failing)
  func `A rule fails when the session is not as it says`(_ example: Case, _ expected: String) throws
  {
    let failures = try example.session.failures(example.rules)
    #expect(failures.count == 1)
    #expect(failures.first?.contains(expected) == true, "\(failures)")
  }

  @Test func `A refused message is sent, even while a command of another sender is open`() throws {
    var session = RuledSession(script: "1500 X4 | 1600 5.")
    session.events = [
      Event(
        .zero + .milliseconds(1_550),
        .refused(RefusedMessage(Array("X999.".utf8), why: .outOfRange)))
    ]
    for rule in [
      #"{"gap": "at least 50ms"}"#, #"{"commands": "at most 1 in 50ms"}"#, #"{"commands": 2}"#,
    ] {
      #expect(try session.failures(rule) == [])
    }
    #expect(
      try session.failures(#"{"gap": "at least 51ms"}"#) == [
        #"gap at least 51 ms failed; "X999." came at 1.55 s, 50 ms after "X45.""#
      ])

    session.script = ""
    #expect(
      try session.failures(#"{"servo": 100, "within": "50ms"}"#).first?.contains("no byte") == false
    )
    #expect(
      try session.failures(#"{"quiet": "2500ms"}"#) == [
        "quiet 2.5 s failed; the last byte or output came at 1.55 s, 2.45 s before the end"
      ])
  }

  @Test func `A speed can differ from the board's by a fortieth`() throws {
    var session = RuledSession(script: "1500 X45.")
    let rule = #"{"never": "wrong-speed"}"#
    session.events = [Event(.zero + .milliseconds(1_400), .baud(9_840))]
    #expect(try session.failures(rule) == [])
    session.events = [Event(.zero + .milliseconds(1_400), .baud(9_841))]
    #expect(
      try session.failures(rule).first?.contains(
        "the board listens at 9600 baud, and the sender wrote at 9841 baud at 1.5 s") == true)
  }

  @Test(arguments: [(115_200, true), (9_600, false)])
  func `A report names a wrong speed first, and guesses nothing that the sender meant`(
    _ baud: Int, _ isWrong: Bool
  ) throws {
    var session = RuledSession(script: "1500 X45.X45")
    session.events = [Event(.zero + .milliseconds(1_400), .baud(baud))]
    let rules = [Rule(.commands(0...0)), Rule(.quiet(.seconds(10)))]
    let report = RuleReport(rules, session.record())
    #expect(report.failures.count == 2)
    let lines = report.text.split(separator: "\n")
    let speeds = "the sender writes at 115200 baud, the board listens at 9600"
    #expect(lines.first == (isWrong ? Substring(speeds) : "commands 0 failed"))
    #expect(lines.count { $0 == speeds } == (isWrong ? 1 : 0))
    #expect(report.meant.isEmpty == isWrong)
    // Where no rule fails, the sender still can.
    #expect(RuleReport([], session.record()).text == "0 rules hold")
    #expect((RuleReport([], session.record()).wrongSpeed != nil) == isWrong)
  }

  @Test func `What a reader cannot read explains less than what the board cannot`() {
    let reads = WrongSpeed(.reading, sender: 4_800, board: 9_600)
    let writes = WrongSpeed(.writing, sender: 4_800, board: 9_600)
    var record = SessionRecord(SessionSetup(firmware: .classic, observes: [.servo]))
    #expect(record.wrongSpeed == nil)
    record.note(reads)
    #expect(record.wrongSpeed == reads)
    record.note(writes)
    record.note(reads)
    #expect(record.wrongSpeed == writes)
    #expect(reads.text == "the sender reads at 4800 baud, the board sends at 9600")
  }

  @Test(arguments: [(115_200, false), (9_600, false), (57_600, true)])
  func `A sender at the speed that the program has set is not at a wrong one`(
    _ sender: Int, _ isWrong: Bool
  ) {
    var record = SessionRecord(SessionSetup(firmware: .classic, baud: 9_600, observes: [.servo]))
    record.boardBaud = 115_200
    record.take(Event(.zero, .baud(sender)))
    record.take(Event(.zero, .receive([0x4C])))
    let expected = WrongSpeed(.writing, sender: sender, board: 115_200)
    #expect(record.wrongSpeed == (isWrong ? expected : nil))
  }

  @Test(arguments: [(4_800, true), (9_400, false), (9_900, false), (10_200, true), (115_200, true)])
  func `A speed near the board's garbles nothing`(_ baud: Int, _ garbles: Bool) {
    #expect(WrongSpeed(.writing, sender: baud, board: 9_600).garbles == garbles)
    #expect(WrongSpeed(.reading, sender: 9_600, board: baud).garbles == garbles)
  }

  @Test func `What a sender prints on standard error is text in UTF-8`() throws {
    let sender = SenderOutcome(
      status: 0, length: .seconds(1), wasStopped: false, errors: Array("größe → 5\n".utf8))
    let session = RuledSession(script: "1500 X45.")
    for text in ["größe → 5", "* → *", "*ö*"] {
      #expect(try session.failures(#"{"stderr": "\#(text)"}"#, sender: sender) == [])
    }
    #expect(try session.failures(#"{"stderr": "gr?ße*"}"#, sender: sender).count == 1)
  }

  @Test func `A shaft cannot be judged in a session without pulses and servo writes`() throws {
    var session = RuledSession(script: "1500 X45.")
    let rule = #"{"shaft": "45 ± 2", "within": "400ms", "of": "X45."}"#
    session.observes = [.servo]
    #expect(try session.failures(rule) == [])
    session.observes = [.transmit]
    #expect(
      try session.failures(rule).first?.contains("the session shows no pulse, so the rule") == true)
  }

  @Test(arguments: [Firmware.classic, .guarded])
  func `A sweep of a chip that is 1 us ahead of the model reaches no angle`(
    _ firmware: Firmware
  ) throws {
    var session = RuledSession(firmware: firmware, script: "1500 L")
    session.lead = .microseconds(1)
    #expect(try session.failures(#"{"servo": "91..130"}"#).count == 1)
    session.script += " | 3000 X100."
    #expect(try session.failures(#"{"servo": 100, "within": "50ms", "of": "X*."}"#) == [])
  }

  @Test func `A failure names the rule, what happened, and the events around it`() throws {
    let session = RuledSession(script: "1500 X100 | 1700 X110 | 2200 .")
    var rule = Rule(
      .reaches(
        Reach(.servo(110...110, name: nil), within: .milliseconds(50), of: TextPattern("X110."))))
    rule.place = "scenarios/aim.yaml:9:5"
    let failure = try #require(RuleReport([rule], session.record()).failures.first)
    #expect(
      failure.text == """
        scenarios/aim.yaml:9:5: servo 110 within 50 ms of "X110." failed
          the command's first byte arrived at 1.700000 s, its last at 2.200000 s
          servo stayed at 90 until 1.701099 s, then went to 100
          the sketch was reading a number from 1.501045 s to 1.701045 s
              2  [0.000197, "servo", 90, 1472]
             76  [1.500000, "rx", "X100"]
          >  87  [1.700000, "rx", "X110"]
             88  [1.701099, "servo", 100, 1575]
            114  [2.200000, "rx", "."]
        """)
  }
}
