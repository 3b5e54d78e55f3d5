import Judging
import Sketches
import Testing
import Traces

@Suite("Rules about where a servo's pulses begin and stop, and about the steps of a sweep")
struct AttachedRuleTests {
  private static let nine = BoardPin(name: "D9")!

  private static func session(isLeftHigh: Bool, fallsLater: Bool = false) -> RuledSession {
    var session = RuledSession(script: "1500 X45. | 2000 X60.")
    let outputs: [(Int64, Output)] = [
      (1_510, .attached(microseconds: 1_500, on: nine)),
      (1_900, .detached(nine, isHigh: isLeftHigh)),
    ]
    session.events = outputs.map { Event(.zero + .milliseconds($0), .output($1)) }
    if fallsLater {
      session.events.append(
        Event(.zero + .milliseconds(2_500), .output(.detached(nine, isHigh: false))))
    }
    return session
  }

  static let rules: [(rule: String, failure: String?)] = [
    (#"{"attached": "D9"}"#, nil), (#"{"detached": "D9"}"#, nil),
    (#"{"attached": "D9", "within": "20ms", "of": "X45."}"#, nil),
    (#"{"detached": "D9", "before": "2s"}"#, nil),
    (#"{"exactly": [{"attached": "D9"}, {"detached": "D9"}]}"#, nil),
    (
      #"{"attached": "D9", "within": "5ms", "of": "X45."}"#,
      "attached D9 within 5 ms of \"X45.\" failed; the command's first byte arrived at "
        + "1.500000 s; pulses began at 1.51 s"
    ),
    (
      #"{"attached": "D9", "within": "50ms", "of": "X60."}"#,
      "the command's first byte arrived at 2.000000 s; there was no attached D9 event"
    ),
    (#"{"detached": "D10"}"#, "the device has no servo D10"),
    (#"{"attached": "pan"}"#, "the device has no servo pan"),
  ]

  @Test(arguments: rules)
  func `A rule waits for the pulses to begin or to stop`(_ rule: String, _ failure: String?) throws
  {
    let failures = try Self.session(isLeftHigh: false).failures(rule)
    #expect(failures.count == (failure == nil ? 0 : 1), "\(failures)")
    if let failure { #expect(failures.first?.contains(failure) == true, "\(failures)") }
  }

  @Test func `A driver's channel that is off has no angle at the end`() throws {
    let channel = BoardPin(name: "pca9685@0x40:0")!
    var session = RuledSession(script: "1500 X45.", hasOtherServos: true)
    session.events = [
      Event(
        .zero + .milliseconds(100), .output(.servo(degrees: 92, microseconds: 1_498, on: channel)))
    ]
    let rule = #"{"ends": {"servo pca9685@0x40:0": "90..94"}}"#
    #expect(try session.failures(rule) == [])
    session.events.append(
      Event(.zero + .milliseconds(900), .output(.detached(channel, isHigh: false))))
    let failures = try session.failures(rule)
    let note = "pca9685@0x40:0 was at 92, but has had no pulses since 0.9 s"
    #expect(failures.first?.contains(note) == true, "\(failures)")
  }

  @Test func `A device that does not show it makes the rule fail`() throws {
    var session = Self.session(isLeftHigh: false)
    session.observes.remove(.attached)
    #expect(
      try session.failures(#"{"attached": "D9"}"#)
        == ["attached D9 failed; the session shows no attached, so the rule could not be tested"])
  }

  @Test func `A pulse without an end is not the end of a session`() throws {
    let rule = #"{"ends": {"servo": 60}}"#
    #expect(try Self.session(isLeftHigh: false).failures(rule) == [])
    #expect(try Self.session(isLeftHigh: true, fallsLater: true).failures(rule) == [])
    let failures = try Self.session(isLeftHigh: true).failures(rule)
    #expect(
      failures.first?.contains(
        "D9 stayed high from 1.9 s on: the servo was detached in the middle of a pulse, whose end "
          + "is unknown") == true, "\(failures)")
  }

  @Test func `A failure names the rule for an angle that a sweep passes, and that rule holds`()
    throws
  {
    let session = RuledSession(firmware: .guarded, script: "1500 L", end: 3_000)
    let failures = try session.failures(#"{"servo": 91, "within": "100ms", "of": "L"}"#)
    #expect(
      failures.first?.contains(
        "which \"servo\" does not count as reached: \"shaft: 91 ± 1\" does") == true,
      "\(failures)")
    #expect(failures.first?.contains("a sweep passed 91 at 1.51") == true, "\(failures)")
    #expect(try session.failures(#"{"shaft": "91 ± 1", "within": "100ms", "of": "L"}"#) == [])
    // Nothing passed this angle in that time.
    let other = try session.failures(#"{"servo": 120, "within": "100ms", "of": "L"}"#)
    #expect(other.first?.contains("a sweep passed") == false, "\(other)")
  }
}
