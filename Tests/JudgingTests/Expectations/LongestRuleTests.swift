import Devices
import Judging
import Sketches
import Testing
import Traces

@Suite("Rules about how long interrupts were off, and a turn of the loop took")
struct LongestRuleTests {
  private static func session() -> RuledSession {
    var session = RuledSession(script: "1500 X45.")
    session.events = [
      (
        1_600, .longest(.interruptsOff, .microseconds(60), "the interrupt TIMER0_OVF kept them off")
      ),
      (1_700, .longest(.interruptsOff, .microseconds(100), "show kept interrupts off for 100 us")),
      (1_800, .longest(.loop, .milliseconds(20), "a turn of loop took 20 ms")),
    ].map { (time: Int64, note: RunNote) in Event(.zero + .milliseconds(time), .run(note)) }
    return session
  }

  static let rows: [(rule: String, failure: String?)] = [
    (
      #"{"interrupts off": "below 100us"}"#,
      "interrupts off below 100 us failed; show kept interrupts off for 100 us at 1.7 s"
    ),
    (#"{"interrupts off": "below 0.2ms"}"#, nil), (#"{"loop": "at most 20ms"}"#, nil),
    (
      #"{"loop": "at most 19ms"}"#,
      "loop at most 19 ms failed; a turn of loop took 20 ms at 1.8 s"
    ),
  ]

  @Test(arguments: rows) func `The longest time of a session counts`(
    _ rule: String, _ failure: String?
  ) throws {
    #expect(try Self.session().failures(rule) == [failure].compactMap { $0 })
  }

  @Test func `The first mistake with the memory breaks its rule`() throws {
    #expect(try RuledSession(script: "1500 X45.").failures(#"{"memory": "sound"}"#) == [])
    var session = RuledSession(script: "1500 X45.")
    session.events = [(1_600, RunNote.MemoryFault.unset), (1_700, .stack)].map {
      Event(.zero + .milliseconds($0), .run(.memory($1, "\($1) in loop")))
    }
    #expect(
      try session.failures(#"{"memory": "sound"}"#)
        == ["memory sound failed; unset in loop at 1.6 s"])
  }

  @Test(arguments: [#"{"interrupts off": "below 1s"}"#, #"{"loop": "at most 1s"}"#])
  func `A session that shows no such time does not test the rule`(_ rule: String) throws {
    let failures = try RuledSession(script: "1500 X45.").failures(rule)
    #expect(failures.first?.hasSuffix("so the rule could not be tested") == true, "\(failures)")
  }

  @Test(arguments: [
    #"{"interrupts off": "100us"}"#, #"{"interrupts off": "below 100"}"#,
    #"{"interrupts off": "below 0us"}"#, #"{"loop": "below 20ms"}"#,
    #"{"memory": "good"}"#,
  ])
  func `What is no limit is refused`(_ text: String) throws {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rules")
    #expect(throws: NotationError.self) { try RuleParser(path: "").rules(Notation(value)) }
  }

  @Test func `A device that does not record its program refuses the rules`() throws {
    var model = ModelSource().makeDevice(
      for: Header(firmware: .classic, duration: nil, title: nil), firmware: .classic,
      showsPulses: false)
    var setup = SessionSetup(firmware: .classic, timing: nil, baud: 9_600, on: model.capabilities)
    setup.record(on: &model)
    for requirement in [
      Requirement.longest(.interruptsOff, .milliseconds(1)), .longest(.loop, .milliseconds(1)),
      .memory,
    ] {
      let objection = Rule(requirement, place: "a.yaml").objection(in: setup)
      #expect(objection?.contains("only the emulated chip shows it") == true)
    }
  }

  @Test func `A lost byte's failure says what the program did meanwhile`() throws {
    // The bootloader owns the line.
    var session = RuledSession(script: "1500 X45.")
    let why = "the program was in delay in loop (a.ino:3)"
    session.events = [
      Event(.zero + .milliseconds(1_400), .reset(.seconds(1))),
      Event(.zero + .microseconds(1_501_500), .run(.why(why))),
    ]
    let failures = try session.failures(#"{"never": "lost"}"#)
    #expect(failures.first?.contains(why) == true, "\(failures)")
  }
}
