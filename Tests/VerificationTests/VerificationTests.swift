import Testing
import Traces
import Turret

@testable import Devices
@testable import Verification

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
