import Sketches
import Testing
import Traces

@testable import Devices
@testable import Judging

/// Traces that an earlier version judged wrongly.
@Suite struct VerificationTests {
  private static func verdict(_ header: String, _ events: String) throws -> Verdict {
    let text =
      "{\"format\": \"sentry-trace\", \"version\": 1, \(header)}\n" + events
    var reader = try TraceReader(text: Array(text.utf8), path: "t")
    return try Verification().verify(&reader)
  }

  @Test(arguments: ["buzzer", "guarded"])
  func `A trace of a running board compares only kinds that occur, and no earlier tone`(
    _ firmware: String
  ) throws {
    let verdict = try Self.verdict(
      "\"firmware\": \"\(firmware)\", \"start\": \"unknown\", \"duration\": 4",
      """
      [1.500000, "rx", "X45."]
      [1.504224, "servo", 45, 1008]
      [2.500000, "rx", "X50."]
      [2.504224, "servo", 50, 1059]

      """)
    #expect(verdict.agrees && verdict.tally.matched == 1, "\(verdict)")
  }

  /// Both aims are the board's, whatever its state was.
  @Test func `A running board is judged from its second aim if the trace has neither`() throws {
    let aims = """
      [1.500000, "rx", "X45."]
      [1.504224, "servo", 50, 1059]
      [2.500000, "rx", "X60."]
      [2.504224, "servo", 70, 1265]
      [3.500000, "rx", "X90."]
      [3.504224, "servo", 90, 1472]

      """
    let header = "\"firmware\": \"classic\", \"start\": \"unknown\", \"duration\": 4"
    let verdict = try Self.verdict(header, aims)
    guard case .diverges(let divergence) = verdict.outcome else {
      Issue.record("\(verdict)")
      return
    }
    #expect(divergence.line == 5)
    #expect(divergence.message.hasPrefix("expected servo 70"), "\(divergence.message)")
    // Without outputs, or with the clock of a computer, nothing is known.
    for text in [
      try Self.verdict(
        header,
        aims.replacing("servo\", 50, 1059", with: "x-note\", 50")
          .replacing("servo\", 70, 1265", with: "x-note\", 70")
          .replacing("servo\", 90, 1472", with: "x-note\", 90")),
      try Self.verdict(
        header + ", \"clock\": \"host\"",
        String(aims.split(separator: "\n").prefix(4).joined(separator: "\n") + "\n")),
    ] {
      guard case .nothingToCompare = text.outcome else {
        Issue.record("\(text)")
        continue
      }
    }
  }

  @Test(arguments: [
    ("[1, \"rx\", \"X9.\"]\n", "the recording has no outputs of the board"),
    (
      "[1, \"pulse\", 1472]\n",
      "the board was already running, so its pulses cannot be compared"
    ),
    (
      "[1, \"pulse\", 1472]\n[2, \"tx\", \"a\"]\n",
      "the board was already running, so its pulses and answers cannot be compared"
    ),
    (
      "[1, \"pulse\", 1472]\n[2, \"servo\", 45, 1008]\n",
      "the board was already running, and no aim or reset makes its state known"
    ),
  ])
  func `It is said which outputs of a running board cannot be compared`(
    _ events: String, _ why: String
  ) throws {
    let verdict = try Self.verdict("\"firmware\": \"classic\", \"start\": \"unknown\"", events)
    #expect(verdict.outcome == .nothingToCompare(why))
  }

  @Test
  func `A running board in an unknown state gives nothing to compare`() throws {
    let verdict = try Self.verdict(
      "\"firmware\": \"classic\", \"start\": \"unknown\"", "[1.000000, \"servo\", 45, 1008]\n")
    guard case .nothingToCompare = verdict.outcome else {
      Issue.record("\(verdict)")
      return
    }
  }

  @Test
  func `A divergence is noticed at once, however far away the next line is`() throws {
    let verdict = try Self.verdict(
      "\"firmware\": \"classic\", \"duration\": 60",
      """
      [0.000197, "servo", 90, 1472]
      [1.500000, "rx", "L"]
      [50.000000, "mark", "much later"]

      """)
    guard case .diverges(let divergence) = verdict.outcome else {
      Issue.record("\(verdict)")
      return
    }
    #expect(divergence.time == .zero + .microseconds(1_516_209))
    #expect(verdict.activity == .scanning(next: 92, rising: true))
    #expect(try #require(verdict.noticed) - divergence.time < .milliseconds(21))
    // The report shows the events nearby, not those of a minute later.
    #expect(divergence.done.allSatisfy { $0.event.time < .zero + .seconds(2) })
  }

  @Test(arguments: ["999999999"])
  func `A long silence takes no time`(_ duration: String) throws {
    let verdict = try Self.verdict(
      "\"firmware\": \"classic\", \"duration\": \(duration)", "[0.000197, \"servo\", 90, 1472]\n")
    #expect(verdict.agrees)
  }

  /// A trace that the emulated chip recorded, on the model.
  @Test(arguments: [
    ("", Verdict.Outcome.agrees),
    (#", "expects": ["servo", "attached"]"#, .cannotObserve([.attached])),
    (#", "expects": ["servo"]"#, .agrees),
  ])
  func `Where pulses begin is compared on a model only if the header names it`(
    expects: String, outcome: Verdict.Outcome
  ) throws {
    let events = """
      [0.000197, "attached", 1472, "D9"]
      [0.000197, "servo", 90, 1472]
      [2.000000, "detached", "D9"]

      """
    let header = "\"firmware\": \"classic\", \"duration\": 3\(expects)"
    let verdict = try Self.verdict(header, events)
    #expect(verdict.outcome == outcome)
    #expect(verdict.tally.matched == (outcome == .agrees ? 1 : 0))
  }

  @Test
  func `A replay copies inputs after its end without sending them`() throws {
    let device = Model(
      .classic, for: Header(firmware: .classic, duration: nil, title: nil), showsPulses: false)
    var replay = Replay(device, until: .zero + .seconds(2), kinds: [.servo])
    var events: [Event] = []
    for event in [
      Event(.zero + .milliseconds(1_500), .receive(Array("X45.".utf8))),
      Event(.zero + .milliseconds(2_500), .mark("kept")),
      Event(.zero + .milliseconds(2_600), .receive(Array("X50.".utf8))),
    ] {
      replay.take(event) { events.append($0) }
    }
    replay.finish(after: .zero + .milliseconds(2_600)) { events.append($0) }
    #expect(events.count == 5)
    #expect(events.last?.kind == .receive(Array("X50.".utf8)))
    #expect(events.count { $0.output != nil } == 2)
  }
}
