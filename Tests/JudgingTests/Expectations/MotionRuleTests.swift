import Judging
import Sketches
import Testing
import Traces

@Suite("Rules about how servos move") struct MotionRuleTests {
  private static func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

  /// Returns what failed in a session of a sketch with a profile. `moves`: milliseconds and degrees
  /// of 1000 to 2000 us.
  private static func failures(
    _ rules: String, sent: [(Int64, String)] = [], moves: [(Int64, UInt8)] = [],
    pulses: [(Int64, Double)] = [], resets: [Int64] = [], stretch: Int? = nil
  ) throws -> [String] {
    let profile = Profile(name: "mine", commands: [try CommandForm("P{pan:0..180}\\n")])
    var setup = SessionSetup(firmware: .guarded, profile: profile, reportsFates: false)
    setup.servoRange = ServoRange(1_000, 2_000)
    var events = sent.map { Event(at($0.0), .receive(Array($0.1.utf8))) }
    events += moves.map { time, degrees in
      let width = 1_000 + UInt16(degrees) * 50 / 9
      return Event(at(time), .output(.servo(degrees: degrees, microseconds: width, on: nil)))
    }
    events += pulses.map { Event(at($0.0), .output(.pulse(microseconds: $0.1, on: nil))) }
    events += resets.map { Event(at($0), .reset(.milliseconds(500))) }
    events.sort { $0.time < $1.time }
    let value = try JSONValue.contents(of: Array(rules.utf8), path: "rules")
    var session = try SessionRules(
      try RuleParser(path: "").rules(Notation(value)), setup, stretch: stretch ?? 1 << 16
    ) { (path) throws(TraceError) in throw TraceError(.noInput, path: path, "none") }
    for event in events { session.take(event) }
    return session.finish(at: at(20_000), sender: nil).failures.map {
      ([$0.headline] + $0.notes).joined(separator: "; ")
    }
  }

  private static let never = #"{"moves": "never", "unless": "commanded"}"#

  @Test(
    arguments: [
      ([(1_000, "P45\n")], [(100, 90), (1_010, 45)], [], nil),
      // In steps, and after the last of them.
      ([(1_000, "P45\n")], [(100, 90), (1_010, 80), (2_900, 60), (4_800, 45)], [], nil),
      ([(1_000, "P45\n")], [(100, 90), (1_010, 45), (9_000, 90)], [], "went from 45 to 90 at 9 s"),
      ([], [(100, 90), (5_000, 80)], [], "no command was sent before it"),
      // What is no command of the profile, or out of its range, moves nothing.
      ([(5_000, "Q45\nP999\n")], [(100, 90), (5_010, 45)], [], "no command was sent before it"),
      // After a restart, the commands before it are no cause.
      (
        [(1_000, "P45\n")], [(100, 90), (1_010, 45), (2_000, 90)], [1_500],
        "since the board restarted at 1.5 s"
      ),
      ([(1_000, "P45\n")], [], [], "no servo was ever commanded"),
      // The same angle again is no move.
      ([], [(100, 90), (5_000, 90)], [], nil),
    ] as [([(Int64, String)], [(Int64, UInt8)], [Int64], String?)])
  func `A servo moves only for a command`(
    sent: [(Int64, String)], moves: [(Int64, UInt8)], resets: [Int64], words: String?
  ) throws {
    // Judged at the end, and with what is over dropped.
    for stretch in [nil, 2] {
      let failures = try Self.failures(
        Self.never, sent: sent, moves: moves, resets: resets, stretch: stretch)
      #expect(failures.count == (words == nil ? 0 : 1), "\(failures)")
      if let words { #expect(failures.first?.contains(words) == true, "\(failures)") }
    }
  }

  @Test func `A sweep of a sketch of the bench is commanded`() throws {
    let session = RuledSession(script: "1500 L", end: 30_000)
    #expect(try session.failures(Self.never) == [])
    #expect(try RuledSession(script: "1500 X45. | 1600 X120.").failures(Self.never) == [])
  }

  @Test(
    arguments: [
      ([(100, 1_500), (120, 1_500), (140, 1_750)], nil),
      (
        [(100, 1_500), (120, 1_500), (140, 1_850)],
        "the pulses of the servo went from 1500 us to 1850 us at 0.14 s: 63 degrees"
      ),
      // Pulses that pause in between are neighbours too.
      ([(100, 2_000), (9_000, 1_000)], "from 2000 us to 1000 us at 9 s: 180 degrees"),
      ([(100, 1_500)], "no servo had two pulses"),
    ] as [([(Int64, Double)], String?)])
  func `Neighbouring pulses differ by less than a rule states`(
    pulses: [(Int64, Double)], words: String?
  ) throws {
    let failures = try Self.failures(#"{"jump": "below 60°"}"#, pulses: pulses)
    #expect(failures.count == (words == nil ? 0 : 1), "\(failures)")
    if let words { #expect(failures.first?.contains(words) == true, "\(failures)") }
  }

  @Test func `The width of a degree is the one that the angles show`() throws {
    // 10.3 us are a degree of 544 to 2400 us.
    let jump = #"{"jump": "below 40°"}"#
    #expect(try RuledSession(script: "1500 X55.").failures(jump) == [])
    #expect(try RuledSession(script: "1500 X49.").failures(jump).count == 1)
    var hidden = RuledSession(script: "1500 X49.")
    hidden.observes.remove(.pulse)
    let failures = try hidden.failures(jump)
    #expect(failures.first?.contains("shows no pulse") == true, "\(failures)")
  }

  @Test(arguments: [
    (#"{"moves": "never"}"#, "requires \"unless: commanded\""),
    (#"{"moves": "sometimes", "unless": "commanded"}"#, "never"),
    (#"{"moves": "never", "unless": "fault"}"#, "commanded"),
    (#"{"jump": "60"}"#, "below a number"), (#"{"jump": "below 0"}"#, "degrees"),
    (#"{"servo": 90, "unless": "commanded"}"#, "no \"unless\""),
  ])
  func `A rule that makes no sense is refused`(_ text: String, _ expected: String) throws {
    let value = try JSONValue.contents(of: Array(text.utf8), path: "rules")
    do throws(NotationError) {
      _ = try RuleParser(path: "").rules(Notation(value))
      Issue.record("accepted")
    } catch {
      #expect(error.message.contains(expected), "\(error.message)")
    }
  }

  @Test func `What a command is must be known`() throws {
    let value = try JSONValue.contents(of: Array(Self.never.utf8), path: "rules")
    let rule = try RuleParser(path: "").rules(Notation(value))[0]
    let setup = SessionSetup(firmware: .guarded, profile: Profile(undescribed: "mine"))
    #expect(rule.objection(in: setup)?.contains("nothing says what is a command") == true)
  }
}
