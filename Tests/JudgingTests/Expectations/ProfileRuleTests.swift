import Devices
import Judging
import Sketches
import Testing
import Traces

/// Rules about a sketch that has a profile but no model.
struct ProfileRuleTests {
  private static func profile() throws -> Profile {
    var profile = Profile(
      name: "mine",
      commands: try ["P{pan:0..180},{tilt:0..180}\\n", "F"].map { try CommandForm($0) })
    profile.servos = try [.init("pan", #require(BoardPin(name: "D9")))]
    return profile
  }

  /// Returns what failed in a session in which the bytes were sent at 1 s, and the servo went to
  /// 110 degrees 30 ms later.
  private static func failures(_ rules: String, _ sent: String) throws -> [String] {
    var record = SessionRecord(
      SessionSetup(firmware: .guarded, profile: try profile(), reportsFates: false))
    record.take(Event(.zero + .seconds(1), .receive(Array(sent.utf8))))
    record.take(
      Event(
        .zero + .milliseconds(1_030), .output(.servo(degrees: 110, microseconds: 1_678, on: nil))))
    record.finish(at: .zero + .seconds(3))
    let value = try JSONValue.contents(of: Array(rules.utf8), path: "rules")
    return RuleReport(try RuleParser(path: "").rules(Notation(value)), record, sender: nil)
      .failures.map { ([$0.headline] + $0.notes).joined(separator: "; ") }
  }

  @Test(arguments: [
    (#"{"servo pan": 110, "within": "50ms", "of": "P110,*"}"#, "P110,45\n"),
    (#"{"servo D9": 110, "within": "50ms", "of": "P110,45"}"#, "P110,45\n"),
    (#"{"servo": 110, "within": "50ms", "of": "P110,45\n"}"#, "P110,45\n"),
    (#"{"commands": 3}"#, "F P1,2\n\r\nF"), (#"{"never": ["junk", "abandoned"]}"#, "FP1,2\n F"),
    (#"{"gap": "at least 1ms"}"#, "FF"),
  ])
  func `A rule holds that speaks of the profile's commands and names`(
    rule: String, sent: String
  ) throws {
    #expect(try Self.failures(rule, sent) == [])
  }

  @Test(arguments: [
    (#"{"servo pan": 110, "within": "20ms", "of": "P110,*"}"#, "P110,45\n", "1.000000 s"),
    (#"{"servo tilt": 110}"#, "P110,45\n", "no servo tilt"),
    (#"{"never": "junk"}"#, "FzzF", #""zz" is not a command of the profile at 1.00104"#),
    (#"{"never": "abandoned"}"#, "P999,0\n", "has a wrong number"),
    (#"{"never": "abandoned"}"#, "P90,F", #""P90," was sent without its end"#),
    (#"{"commands": 1}"#, "FF", "2"),
    (#"{"ends": {"sweeping": "no"}}"#, "F", "does not say when its sketch sweeps"),
  ])
  func `A rule that the session breaks says why`(
    rule: String, sent: String, words: String
  ) throws {
    let failures = try Self.failures(rule, sent)
    #expect(failures.count == 1)
    #expect(failures.first?.contains(words) == true, "\(failures)")
  }

  private static let again = #"{"servo": 110, "within": "50ms", "of": "P110,*"}"#

  @Test(
    arguments: [
      // The angle is commanded already when the second command is sent, at 2 s.
      ([(1_000, "P110,9\n"), (2_000, "P110,9\n")], [(1_030, 110)], [], 5_000, again, nil),
      // It is another one, and the command is ignored.
      ([(1_000, "P110,9\n"), (2_000, "P110,9\n")], [(1_030, 45)], [], 5_000, again, "went to 45"),
      // It is not kept.
      (
        [(1_000, "P110,9\n"), (2_000, "P110,9\n")], [(1_030, 110), (2_040, 90)], [], 5_000, again,
        "stayed at 110 until 2.04 s"
      ),
      // The next command may change it.
      (
        [(1_000, "P110,9\n"), (2_000, "P110,9\n"), (2_030, "P9,9\n")],
        [(1_030, 110), (2_040, 9)], [], 5_000, again, nil
      ),
      // A byte of the command was lost.
      (
        [(1_000, "P110,9\n"), (2_000, "P110,9\n")], [(1_030, 110)], [2_002], 5_000, again,
        "stayed at 110"
      ),
      // The session is too short to show another angle.
      (
        [(2_000, "P110,9\n")], [(1_030, 110)], [], 2_040, again, "before the time was up"
      ),
      // Any time is enough.
      (
        [(2_000, "P110,9\n")], [(1_030, 110)], [], 5_000, #"{"servo": 110, "of": "P110,*"}"#, nil
      ),
      ([(2_000, "P110,9\n")], [], [], 5_000, again, "no servo event"),
    ] as [([(Int64, String)], [(Int64, UInt8)], [Int64], Int64, String, String?)])
  func `An angle that is already commanded counts as reached`(
    sent: [(Int64, String)], moves: [(Int64, UInt8)], losses: [Int64], end: Int64, rule: String,
    words: String?
  ) throws {
    func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }
    var events = sent.map { Event(at($0.0), .receive(Array($0.1.utf8))) }
    events += moves.map { time, degrees in
      let width = 544 + UInt16(degrees) * 10
      return Event(at(time), .output(.servo(degrees: degrees, microseconds: width, on: nil)))
    }
    events += losses.map { Event(at($0), .output(.lost(0x50, .ringFull))) }
    let value = try JSONValue.contents(of: Array(rule.utf8), path: "rules")
    let rules = try RuleParser(path: "").rules(Notation(value))
    // Judged at the end, and with what is over dropped.
    for stretch in [1 << 16, 2] {
      var session = try SessionRules(
        rules, SessionSetup(firmware: .guarded, profile: try Self.profile(), reportsFates: false),
        stretch: stretch
      ) { (path) throws(TraceError) in throw TraceError(.noInput, path: path, "none") }
      for event in events.sorted(by: { $0.time < $1.time }) { session.take(event) }
      let failures = session.finish(at: at(end), sender: nil).failures.map {
        ([$0.headline] + $0.notes).joined(separator: "; ")
      }
      #expect(failures.count == (words == nil ? 0 : 1), "\(failures)")
      if let words { #expect(failures.first?.contains(words) == true, "\(failures)") }
    }
  }

  @Test func `A pause of the profile ends a command, and a shorter one does not`() throws {
    let profile = Profile(name: "mine", commands: [try CommandForm("P{pan:0..180}{pause}")])
    let setup = SessionSetup(firmware: .guarded, profile: profile, reportsFates: false)
    func report(_ rules: String, _ sent: [(Int64, String)]) throws -> [String] {
      var record = SessionRecord(setup)
      for (time, text) in sent {
        record.take(Event(.zero + .milliseconds(time), .receive(Array(text.utf8))))
      }
      record.finish(at: .zero + .seconds(9))
      let value = try JSONValue.contents(of: Array(rules.utf8), path: "rules")
      return RuleReport(try RuleParser(path: "").rules(Notation(value)), record, sender: nil)
        .failures.map { ([$0.headline] + $0.notes).joined(separator: "; ") }
    }
    let session: [(Int64, String)] = [(1_000, "P9"), (1_700, "0"), (3_000, "P45"), (5_000, "P7")]
    #expect(try report(#"[{"commands": 3}, {"never": ["junk", "abandoned"]}]"#, session) == [])
    #expect(try report(#"{"never": ["abandoned"]}"#, [(1_000, "P9"), (1_500, "P45")]).count == 1)
  }

  @Test(
    arguments: [
      ([(1_000, "P90\n")], [(1_050, "ok\r\n")], nil),
      ([(1_000, "P90\n"), (1_500, "P9\n")], [(1_050, "ok\n"), (1_550, "ok\n")], nil),
      ([(1_000, "P90\n"), (1_500, "P9\n")], [(1_550, "ok\n")], #""P9\n" was not answered"#),
      ([(1_000, "P90\n")], [(1_050, "no\n")], #"with "ok" within"#),
      ([(1_000, "?\n")], [(1_050, "pos 90\n")], nil),
      ([(1_000, "?\n")], [(1_050, "pos 181\n")], "pos {a"),
      ([(1_000, "F\n")], [(900, "ok\n")], nil),
      ([(1_000, "F\n")], [(1_900, "ok\n")], "has no answer"),
      ([(1_000, "F\n"), (1_500, "P9\n")], [(1_900, "ok\n")], nil),
    ] as [([(Int64, String)], [(Int64, String)], String?)])
  func `A command needs the answer that its profile states`(
    sent: [(Int64, String)], answers: [(Int64, String)], words: String?
  ) throws {
    var profile = Profile(
      name: "mine", commands: try ["P{a:0..180}\n", "?\n", "F\n"].map { try CommandForm($0) })
    profile.commands[0].answer = .line(try CommandForm("ok\n").parts)
    profile.commands[1].answer = .line(try CommandForm("pos {a:0..180}\n").parts)
    profile.commands[2].answer = CommandAnswer.none
    var record = SessionRecord(
      SessionSetup(firmware: .guarded, profile: profile, reportsFates: false))
    var events = sent.map { Event(.zero + .milliseconds($0.0), .receive(Array($0.1.utf8))) }
    for (time, line) in answers {
      for (index, byte) in line.utf8.enumerated() {
        let instant = Instant.zero + .milliseconds(time + Int64(index))
        events.append(Event(instant, .output(.transmit(byte))))
      }
    }
    for event in events.sorted(by: { $0.time < $1.time }) { record.take(event) }
    record.finish(at: .zero + .seconds(3))
    let value = try JSONValue.contents(of: Array(#"{"never": "unanswered"}"#.utf8), path: "rules")
    let failures = RuleReport(try RuleParser(path: "").rules(Notation(value)), record, sender: nil)
      .failures.map { ([$0.headline] + $0.notes).joined(separator: "; ") }
    #expect(failures.count == (words == nil ? 0 : 1), "\(failures)")
    if let words { #expect(failures.first?.contains(words) == true, "\(failures)") }
  }

  @Test func `Answers cannot be judged without a profile that states them`() throws {
    let failures = try Self.failures(#"{"never": "unanswered"}"#, "F")
    #expect(failures.first?.contains("no profile states answers") == true, "\(failures)")
  }

  @Test func `A header names the sketch of a profile if the device executes any program`() throws {
    let profile = try Self.profile()
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    header.set(profile, on: ModelSource())
    #expect(header.firmware == .guarded)
    #expect(try header.ownProfile(in: "a.jsonl") == profile)
    header.set(profile, on: SilentSource())
    #expect(header.firmware == nil)
    #expect(header.otherFirmware == "mine")
  }

  @Test func `A header's profile is read, and a mistake in it is an error of the trace`() throws {
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    #expect(try header.ownProfile(in: "a.jsonl") == nil)
    var profile = try Self.profile()
    profile.commands += try [
      "{x:0.0..1.5}/{\\r?}\n", "a{a:3}{b:2 -9..9}", "0xFF {a:u16le} {xor 2..}", "{G|g}{pause 30ms}",
    ].map { try CommandForm($0) }
    profile.commands[0].isReplaceable = true
    profile.commands[0].answer = .line(try CommandForm("at {pan:0..180}\n").parts)
    profile.commands[1].answer = CommandAnswer.none
    profile.centre = Array("P90,90\n".utf8)
    profile.boot = Array("go\r\n".utf8)
    profile.baud = 115_200
    header.set(profile: JSONValue(profile))
    #expect(try header.ownProfile(in: "a.jsonl") == profile)
    header.set(profile: .string("classic"))
    #expect(try header.ownProfile(in: "a.jsonl") == nil)
    header.set(profile: .object([.init("commands", .array([.string("P{")]))]))
    let error = #expect(throws: TraceError.self) { try header.ownProfile(in: "a.jsonl") }
    #expect(error?.line == 1)
    #expect(error?.message.contains("expected \"}\"") == true)
  }
}
