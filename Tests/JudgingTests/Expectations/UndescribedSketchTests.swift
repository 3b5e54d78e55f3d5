import Devices
import Judging
import Sketches
import Testing
import Traces

/// Rules about a sketch of which only the name is known.
struct UndescribedSketchTests {
  private static let setup = SessionSetup(
    firmware: .guarded, profile: Profile(undescribed: "lines"), reportsFates: false)

  private static func rules(_ json: String) throws -> [Rule] {
    let value = try JSONValue.contents(of: Array(json.utf8), path: "rules")
    return try RuleParser(path: "").rules(Notation(value))
  }

  /// Returns what failed in a session in which each text was sent, at 1 s, 2 s and so on, and the
  /// board answered each 20 ms later with its length.
  private static func failures(_ json: String, _ sent: [String]) throws -> [String] {
    var record = SessionRecord(setup)
    for (index, text) in sent.enumerated() {
      let time = Instant.zero + .seconds(Int64(index) + 1)
      record.take(Event(time, .receive(Array(text.utf8))))
      for byte in "\(text.utf8.count)\n".utf8 {
        record.take(Event(time + .milliseconds(20), .output(.transmit(byte))))
      }
    }
    record.finish(at: .zero + .seconds(Int64(sent.count) + 2))
    return RuleReport(try rules(json), record, sender: nil).failures
      .map { ([$0.headline] + $0.notes).joined(separator: "; ") }
  }

  @Test(arguments: [
    (#"{"tx": "5", "within": "50ms", "of": "HOME\n"}"#, ["HOME\n"]),
    (#"{"tx": "5", "within": "50ms", "of": "HOME\n"}"#, ["J 1 45\n", "HOME\n"]),
    (#"{"tx": "6", "within": "50ms", "of": "HOME\r\n"}"#, ["J 1 45\r\n", "HOME\r\n"]),
    (#"{"tx": "7", "within": "50ms", "of": "J 1 45\n"}"#, ["HOME\n", "J 1 45\n"]),
    (#"{"tx": "7", "within": "50ms", "of": "X30Y40"}"#, ["X10Y20\n", "X30Y40\n"]),
    // Wherever it stands in the stream, and in however many parts.
    (#"{"tx": "3", "within": "1100ms", "of": "HOME\n"}"#, ["abHO", "ME\n"]),
    (#"{"tx": "9", "within": "50ms", "of": "X9."}"#, ["LX8.X9.OK"]),
    (#"{"tx": "7", "within": "50ms", "of": "J * 45\n"}"#, ["J 1 45\n"]),
    (#"{"tx": "5", "within": "50ms", "of": "*\n"}"#, ["HOME\n"]),
  ])
  func `A command is exactly its bytes, wherever they are`(rule: String, sent: [String]) throws {
    #expect(try Self.failures(rule, sent) == [])
  }

  @Test(arguments: [
    (#"{"tx": "4", "within": "50ms", "of": "HOME\n"}"#, "HOME", #"no "HOME\n" was sent"#),
    (#"{"tx": "4", "within": "50ms", "of": "HOME\n"}"#, "HOM", "means exactly these bytes"),
    (#"{"tx": "4", "within": "50ms", "of": "HOME\n"}"#, "HOME\n", "1.020000"),
    (#"{"tx": "5", "within": "10ms", "of": "HOME\n"}"#, "HOME\n", "late"),
    (#"{"ends": {"sweeping": "no"}}"#, "L", #"when the sketch "lines" sweeps is not known"#),
  ])
  func `A rule that the bytes do not meet says why`(
    rule: String, sent: String, words: String
  ) throws {
    let failures = try Self.failures(rule, [sent])
    #expect(failures.count == 1)
    let words = words == "1.020000" ? "1.02" : words
    #expect(failures.first?.contains(words) == true, "\(failures)")
  }

  @Test(arguments: [
    (#"{"never": "junk"}"#, #""never: junk" cannot be judged without a profile"#),
    (#"{"never": ["lost", "swallowed", "abandoned"]}"#, #""never: swallowed, abandoned" cannot"#),
    (#"{"commands": 3}"#, #""commands 3" cannot be judged without a profile"#),
    (#"{"commands": "at most 30 in 1s"}"#, "cannot be judged without a profile"),
    (#"{"gap": "at least 20ms"}"#, "cannot be judged without a profile"),
    (#"{"trace": "a.jsonl", "gaps": "50ms"}"#, #""gaps" cannot be judged without a profile"#),
  ])
  func `A rule about commands is refused before the session`(
    rule: String, words: String
  ) throws {
    let rules = try Self.rules(rule)
    #expect(rules[0].objection(in: Self.setup)?.contains(words) == true)
    let error = #expect(throws: TraceError.self) {
      _ = try SessionRules(rules, Self.setup) { (path) throws(TraceError) in
        throw TraceError(.noInput, path: path, "opened")
      }
    }
    #expect(error?.code == .malformed)
    #expect(error?.message.contains(words) == true)
    // The bench's own sketches, and profiles with commands, have a grammar.
    #expect(rules[0].objection(in: SessionSetup(firmware: .classic)) == nil)
    let own = Profile(name: "own", commands: [try CommandForm("F")])
    #expect(rules[0].objection(in: SessionSetup(firmware: .guarded, profile: own)) == nil)
  }

  @Test(arguments: [
    #"{"never": ["lost", "reset", "refused", "wrong-speed"]}"#, #"{"servo": 90}"#,
    #"{"quiet": "1s"}"#, #"{"trace": "a.jsonl"}"#,
  ])
  func `Any other rule can be judged`(rule: String) throws {
    #expect(try Self.rules(rule)[0].objection(in: Self.setup) == nil)
  }

  @Test func `Each match is judged, and an expectation takes the next one`() throws {
    let rule = try Self.rules(#"{"tx": "5", "within": "50ms", "of": "HOME\n"}"#)[0]
    #expect(
      try Self.failures(#"{"tx": "5", "within": "50ms", "of": "E\n"}"#, ["HOME\n", "E\n"])
        .count == 1)
    var record = SessionRecord(Self.setup)
    var place = RuleJudge.Place()
    for second in 1...2 as ClosedRange<Int64> {
      let time = Instant.zero + .seconds(second)
      record.take(Event(time, .receive(Array("HOME\n".utf8))))
      for byte in "5\n".utf8 {
        record.take(Event(time + .milliseconds(10), .output(.transmit(byte))))
      }
      record.advance(to: time + .milliseconds(600))
      guard case .holds(let after) = RuleJudge(rule, .next, from: place).decide(record) else {
        Issue.record("the expectation of second \(second) does not hold")
        return
      }
      place = after
    }
    guard case .open = RuleJudge(rule, .next, from: place).decide(record) else {
      Issue.record("a third command was found")
      return
    }
  }

  @Test(arguments: [
    ("ab", "xxabab", 0, 2..<4), ("ab", "xxabab", 3, 4..<6), ("a*b", "acbab", 0, 0..<3),
    ("a*b", "acbab", 1, 3..<5), ("*b", "acbab", 0, 0..<3), ("a*", "xa1", 0, 1..<2),
    ("a*b*c", "ab", 0, nil), ("ab", "a", 0, nil), ("*", "abc", 0, nil), ("aab", "aaab", 0, 1..<4),
    ("b", "ab", 7, nil), ("a**b", "a1b", 0, 0..<3),
  ])
  func `The first match begins as early and is as short as possible`(
    pattern: String, bytes: String, start: Int, range: Range<Int>?
  ) throws {
    let pattern = try #require(TextPattern(pattern))
    #expect(pattern.firstMatch(in: Array(bytes.utf8)[...], from: start) == range)
  }

  @Test func `A header names the sketch, and has no profile without commands`() throws {
    var header = Header(firmware: .guarded, duration: nil, title: nil)
    header.set(Profile(undescribed: "lines"), on: SilentSource())
    #expect(header.otherFirmware == "lines")
    #expect(header.profile == nil)
  }

  @Test func `A trace of an unknown sketch is judged by its bytes`() throws {
    let text =
      #"{"format": "sentry-trace", "version": 1, "firmware": "lines", "duration": 2}"# + "\n"
      + #"[1, "rx", "J 1\nHOME\n"]"# + "\n" + #"[1.012, "tx", "4"]"# + "\n"
      + #"[1.013, "tx", "\n"]"# + "\n"
    func report(_ json: String) throws -> RuleReport {
      var reader = try TraceReader(text: Array(text.utf8), path: "a.jsonl")
      return try RuleReport(try Self.rules(json), &reader, on: SilentSource()) {
        (path) throws(TraceError) in throw TraceError(.noInput, path: path, "opened")
      }
    }
    #expect(try report(#"{"tx": "4", "within": "50ms", "of": "HOME\n"}"#).holds)
    #expect(throws: TraceError.self) { _ = try report(#"{"never": "junk"}"#) }
  }
}
