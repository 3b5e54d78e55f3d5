import Devices
import Judging
import Sketches
import Testing
import Traces

@Suite struct ScenarioParserTests {
  /// Reads scenarios in JSON, whose notation is that of YAML without the places.
  private func scenarios(_ text: String) throws -> [Scenario] {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "aim")
    return try ScenarioParser(path: "scenarios/aim.yaml").scenarios([Notation(value)])
  }

  @Test func `A scenario has a sender and rules`() throws {
    let found = try scenarios(
      """
      {"firmware": "classic", "baud": 115200, "timeout": "10s", "run": "python3 sender.py",
       "expect": [{"servo": 100, "within": "50ms", "of": "X100."}, {"never": ["lost", "junk"]}]}
      """)
    let scenario = try #require(found.first)
    #expect(found.count == 1)
    #expect(scenario.name == "aim")
    #expect(scenario.sender == .command("python3 sender.py"))
    #expect((scenario.firmware, scenario.baud) == (.classic, 115_200))
    #expect(scenario.timeout == .seconds(10))
    #expect(
      scenario.rules.map { "\($0.requirement)" } == [
        #"servo 100 within 50 ms of "X100.""#, "never lost, junk",
      ])
  }

  @Test func `Defaults hold for all scenarios of a file, and rules add up`() throws {
    let found = try scenarios(
      """
      {"defaults": {"firmware": "buzzer", "expect": [{"never": "lost"}]},
       "scenarios": [
         {"send": [[1.5, "X90."]], "expect": {"servo": 90}},
         {"name": "own", "firmware": "guarded", "send": [["2 s", "L"]]}]}
      """)
    #expect(found.map(\.name) == ["aim 1", "own"])
    #expect(found.map(\.firmware) == [.buzzer, .guarded])
    #expect(found.map(\.rules.count) == [2, 1])
    #expect(found[1].sender == .bytes([.init(.zero + .seconds(2), .receive(Array("L".utf8)))]))
  }

  @Test func `Inputs of the board are sent like bytes`() throws {
    let found = try scenarios(
      """
      {"device": "avr:my.elf", "expect": {"servo": 90},
       "send": [[1, "set", "D2", 1], [1, "analog", "A0", 2.5], [2, "X"],
         [3, "part", "hc-sr04@7:8", 0.35]]}
      """)
    let kinds: [Event.Kind] = [
      .input(.level(BoardPin(arduino: 2)!, true)),
      .input(.voltage(BoardPin(arduino: 14)!, microvolts: 2_500_000)), .receive([0x58]),
      .input(.part(BoardPart("hc-sr04@D7:D8")!, millionths: 350_000)),
    ]
    guard case .bytes(let sent) = found[0].sender else {
      Issue.record("no bytes")
      return
    }
    #expect(sent.map(\.kind) == kinds)
    for (input, message) in [
      (#"[1, "put", "D2", 1]"#, "expected an input: set, analog or part"),
      (#"[1, "set", "D20", 1]"#, "expected a pin of the board"),
      (#"[1, "set", "D2", 2]"#, "expected a level, 0 or 1"),
      (#"[1, "analog", "A0", 6]"#, "expected volts from 0 to 5"),
      (#"[1, "part", "sonar", 1]"#, "expected a part, such as"),
      (#"[1, "part", "a@D2", -1]"#, "expected a number from 0"),
      (#"[1, "X", 2]"#, "expected a time and bytes, or a time and an input"),
    ] {
      let error = #expect(throws: NotationError.self) {
        try scenarios("{\"send\": [\(input)], \"expect\": {\"servo\": 90}}")
      }
      #expect(error?.message.hasPrefix(message) == true, "\(input): \(error?.message ?? "")")
    }
  }

  @Test(arguments: [
    // A byte takes 1/960 s.
    (#"[1, "X9"]"#, Interval.microseconds(1_002_083)),
    (#"[1, "X9"], [3, "set", "D2", 1]"#, .seconds(3)),
    (#"[1, "set", "D2", 1], [3, "X"]"#, .microseconds(3_001_041)),
  ])
  func `A scenario lasts until its bytes have left the line and its inputs were made`(
    _ sent: String, _ end: Interval
  ) throws {
    let found = try scenarios(
      "{\"device\": \"avr:my.elf\", \"expect\": {\"servo\": 90}, \"send\": [\(sent)]}")
    let late = found[0].sentEnd(baud: 9_600) - (.zero + end)
    #expect(abs(late.nanoseconds) < 1_000)
  }

  @Test func `Options of an emulated board become words of the command line`() throws {
    let found = try scenarios(
      """
      {"device": "avr:my.elf", "options": {"rx-pin": "D10", "set": ["D2=1", "D3=0"], "adc-seed": 2},
       "run": "x", "expect": {"servo": 90}}
      """)
    #expect(found[0].options == ["--rx-pin=D10", "--set=D2=1", "--set=D3=0", "--adc-noise=seed=2"])
  }

  static let refused = [
    (
      #"{"options": {"rx-pin": "D10"}, "run": "x", "expect": {"servo": 90}}"#,
      #""options" requires a device avr:FILE"#
    ),
    (
      #"{"device": "avr:a", "options": {"rxpin": 1}, "run": "x", "expect": {"servo": 90}}"#,
      #"did you mean "rx-pin"?"#
    ),
    (
      #"{"device": "avr:a", "options": "--pin=1", "run": "x", "expect": {"servo": 90}}"#,
      "expected a mapping of options"
    ),
    (#"{"run": "x"}"#, #"expected "expect" with at least one rule"#),
    (#"[{"run": "x"}]"#, "a list of them stands under the key scenarios, found a list"),
    (#"{"expect": {"servo": 90}}"#, #"expected "run", "send" or "rig""#),
    (#"{"run": "x", "send": [[1, "L"]], "expect": {"servo": 90}}"#, "found both"),
    (
      #"{"runs": "x", "expect": {"servo": 90}}"#, #""runs" is not known here; did you mean "run"?"#
    ),
    (
      #"{"faults": ["dorp:1%"], "run": "x", "expect": {"servo": 90}}"#,
      #"expected a fault, found "dorp""#
    ),
    (
      #"{"faults": "reorder", "run": "x", "expect": {"servo": 90}}"#, "cannot reorder bytes"
    ),
    (#"{"seed": "x", "run": "x", "expect": {"servo": 90}}"#, "a whole number"),
    (#"{"run": "x", "expect": {"servo": 181}}"#, "expected an angle from 0 to 180"),
    (#"{"run": "x", "expect": {"servo": "112..108"}}"#, "expected a range from low to high"),
    (#"{"run": "x", "expect": {"servo": "108...112"}}"#, #"112, found "108...112""#),
    (#"{"run": "x", "expect": {"quiet": "0s"}}"#, "expected a length of time over zero"),
    (#"{"run": "x", "expect": {"gap": "at least 0 ms"}}"#, "expected a length of time over zero"),
    (#"{"run": "x", "expect": {"commands": "at most 1 in 0s"}}"#, "over zero, found \"0s\""),
    (
      #"{"run": "x", "expect": {"servo": 90, "within": 50}}"#,
      "found 50 without one; write 50ms or 50s"
    ),
    (#"{"run": "x", "expect": {"never": "lots"}}"#, #"did you mean "lost"?"#),
    (#"{"run": "x", "expect": {"servos": 90}}"#, #"did you mean "servo"?"#),
    (#"{"run": "x", "expect": {"servo": 90, "tone": 3}}"#, #"found "tone" next to "servo""#),
    (#"{"run": "x", "expect": {"never": "lost", "of": "L"}}"#, #"no "of" next to "never""#),
    (#"{"run": "x", "expect": {"commands": "many"}}"#, "expected a number of commands"),
    (#"{"run": "x", "expect": {"gap": "20ms"}}"#, "expected at least a length of time"),
    (#"{"run": "x", "expect": {"ends": {}}}"#, "expected servo, pin or sweeping"),
    (#"{"run": "x", "expect": {"exactly": [{"shaft": 90}]}}"#, "a shaft moves all the time"),
    (#"{"send": [[2, "L"], [1, "L"]], "expect": {"servo": 90}}"#, "the time goes backwards"),
    (#"{"send": [[1, "L"]], "expect": {"exit": 0}}"#, "only a command has a process"),
    (#"{"send": [[1, ""]], "expect": {"servo": 90}}"#, "expected at least one byte"),
    (#"{"send": [[1, "L"]], "for": "500ms", "expect": {"servo": 90}}"#, "before the last bytes"),
    (#"{"firmware": "other", "run": "x", "expect": {"servo": 90}}"#, Firmware.list),
  ]

  @Test func `Faults are read in order, with those of a mixture and a seed`() throws {
    let text =
      #"{"faults": ["drop:1%", "mix:bluetooth"], "seed": 7, "run": "x", "expect": {"servo": 90}}"#
    let scenario = try #require(try scenarios(text).first)
    #expect(
      scenario.faults.map { $0.text } == ["drop:1%", "net:jitter=15ms", "adapter:hm-10,loss=1%"])
    #expect(scenario.seed == 7)
  }

  @Test(arguments: refused)
  func `A mistake is refused with what was expected`(_ text: String, _ message: String) {
    let error = #expect(throws: NotationError.self) { try scenarios(text) }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `A mistake has its file, line and column`() {
    let error = NotationError(.init(line: 3, column: 5), "expected a rule")
    #expect(error.text(in: "aim.yaml") == "aim.yaml:3:5: error: expected a rule")
  }

  static let patterns: [(String, String, Bool, Bool)] = [
    ("X110.", "X110.", true, false), ("X110.", "X110", false, true), ("X110.", "X9", false, false),
    ("X*.", "X110.", true, false), ("X*.", "X11", false, true), ("*", "", true, false),
    ("ok *", "ok 110", true, false), ("ok *", "ok", false, true), ("a*b*c", "abbc", true, false),
    ("\u{e9}", "e", false, false),
  ]

  @Test(arguments: patterns)
  func `A * stands for any text`(
    _ pattern: String, _ text: String, _ matches: Bool, _ isBegun: Bool
  ) throws {
    let pattern = try #require(TextPattern(pattern))
    #expect(pattern.matches(Array(text.utf8)) == matches)
    #expect(pattern.isBegun(by: Array(text.utf8)) == isBegun)
  }
}
