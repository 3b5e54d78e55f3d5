import Devices
import Testing
import Traces
import Turret
import Verification

/// Rules about a sketch that no model knows, with its profile.
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
    profile.commands[0].isReplaceable = true
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
