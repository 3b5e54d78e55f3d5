import Devices
import Engine
import Foundation
import Sketches
import Synchronization
import TestSupport
import Testing
import Traces

@testable import Sessions

/// Scenarios whose sender is a list of bytes.
@Suite("Scenarios in virtual time") struct VirtualSessionTests {
  private let files: TestFolder

  init() throws { files = try TestFolder() }

  /// Runs the scenarios of a file.
  private func run(
    _ yaml: String, keepsTrace: Bool = false, updates: Bool = false,
    on source: any DeviceSource = ModelSource()
  ) throws -> [SuiteResult] {
    try files.write(yaml, "a.yaml")
    let path = files.path("a.yaml")
    return try SuiteFiles.scenarios(path).map { scenario in
      VirtualSession(
        test: SuiteTest(path: path, scenario), keepsTrace: keepsTrace, updates: updates
      ).run(on: source)
    }
  }

  private func failures(_ yaml: String) throws -> [String] {
    try run(yaml).flatMap(\.failures).map { failure in
      failure.text.replacing(files.path("a.yaml"), with: "a.yaml")
    }
  }

  @Test(arguments: [
    #"{servo: 45, within: 50ms, of: "X45."}"#, "servo: 45", "{servo: 45, before: 1600ms}",
    "never: [lost, junk, swallowed, abandoned, refused, wrong-speed, reset]", "angles: 45..90",
    "commands: 1", "quiet: 500ms", "quiet: 30s", "ends: {servo: 45, sweeping: no}",
    "{shaft: 45 ± 2, within: 10s, of: X45.}", "{pulse: 1008us ± 3us, within: 100ms, of: X45.}",
    "exactly: [{servo: 90}, {servo: 45}]", "gap: at least 20ms",
  ])
  func `A rule that holds`(rule: String) throws {
    let results = try run("send: [[1.5, X45.]]\nfirmware: classic\nexpect: [\(rule)]")
    #expect(results.map(\.outcome) == [.passed])
    #expect(results.map(\.ruleCount) == [1])
  }

  @Test(arguments: [
    (#"{servo: 45, within: 1ms, of: "X45."}"#, #"servo 45 within 1 ms of "X45.""#),
    ("servo: 46", "servo 46"), ("{servo: 45, before: 1500ms}", "servo 45 before 1.5 s"),
    ("never: reset", nil), ("commands: 2", "commands 2"),
    ("ends: {sweeping: yes}", "ends sweeping"), ("tone: 900", "tone 900"),
  ])
  func `A rule that fails is reported with its place`(rule: String, failed: String?) throws {
    let found = try failures("send: [[1.5, X45.]]\nfirmware: classic\nexpect:\n  - \(rule)\n")
    #expect(found.count == (failed == nil ? 0 : 1))
    if let failed { #expect(found.first?.hasPrefix("a.yaml:4:5: \(failed) failed") == true) }
  }

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..")

  /// Returns the program of `guarded` in a file of that name.
  private func program(_ name: String) throws -> any DeviceSource {
    try Data(contentsOf: Self.root.appending(path: "firmware/guarded/guarded.hex"))
      .write(to: URL(filePath: files.path(name)))
    return try ChipPrograms(files.path(name)).read()
  }

  @Test func `A program is its own sketch, whose commands are bytes`() throws {
    let mine = try program("mine.hex")
    let yaml = "send: [[1.5, LX45.]]\nexpect:\n- "
    let held = try run(yaml + #"{servo: 45, within: 50ms, of: "X45."}"#, updates: false, on: mine)
    #expect(held.map(\.outcome) == [.passed])
    let kept = try run(yaml + "servo: 99", keepsTrace: true, on: mine)
    let reader = try TraceReader(text: #require(kept[0].trace), path: "a.jsonl")
    #expect(reader.header.otherFirmware == "mine")
    let refused = try run(yaml + "never: [lost, junk]", on: mine)
    guard case .error(.malformed, let message) = refused[0].outcome else {
      Issue.record("\(refused[0].outcome)")
      return
    }
    #expect(message.contains("a.yaml:3:3: error: \"never: junk\" cannot be judged without a"))
    #expect(try run(yaml + "never: lost", on: mine).map(\.outcome) == [.passed])
  }

  @Test(
    arguments: [
      (9_600, 99, nil), (115_200, 45, 9_600), (9_600, 45, nil),
    ] as [(Int, Int, Int?)])
  func `A failure at another speed than the sketch's says so`(
    _ baud: Int, _ angle: Int, _ sketchBaud: Int?
  ) throws {
    let yaml = "baud: \(baud)\nsend: [[1.5, X45.]]\nexpect:\n- servo: \(angle)"
    let result = try run(yaml, on: program("mine.hex"))[0]
    let sentence = sketchBaud.map {
      "the scenario's bytes are sent at \(baud) baud, and the sketch set its USART to \($0) baud"
    }
    #expect(result.wrongSpeed == sentence)
    #expect((result.outcome == .passed) == (sketchBaud == nil && angle == 45))
  }

  @Test func `A program of ours has our commands, and so has one whose firmware is stated`() throws
  {
    let yaml = "send: [[1.5, X45.]]\nexpect: [never: [lost, junk], commands: 1]"
    #expect(try run(yaml, on: program("guarded.hex")).map(\.outcome) == [.passed])
    let mine = try program("mine.hex")
    #expect(try run("firmware: guarded\n" + yaml, on: mine).map(\.outcome) == [.passed])
    #expect(try run("profile: guarded\n" + yaml, on: mine).map(\.outcome) == [.passed])
  }

  @Test(arguments: [
    (#"{pin fire: 1, within: 5ms, of: "F"}"#, nil), ("{pin D7: pulse, at least: 3900us}", nil),
    ("{pin fire: pulse, at most: 4100us, count: 2}", nil), ("ends: {pin fire: 0}", nil),
    // The session continues until the pulse is over.
    (#"{pin D7: pulse, at most: 5ms, within: 2s, of: "F"}"#, nil),
    ("never: [lost, {pin D8: 1}]", nil),
    (
      "{pin fire: pulse, at least: 5ms}",
      "  fire (D7) had a pulse of 4 ms at 1.501043 s\n  fire (D7) had a pulse of 4 ms at 1.701043 s\n"
        + "    2  [1.500000, \"rx\", \"F\"]\n  > 3  [1.501042250, \"pin\", \"D7\", 1]\n"
    ),
  ])
  func `A pin that a rule names is watched on the chip`(rule: String, failure: String?) throws {
    try files.write(HexBuilder.pulser, "pulser.hex")
    let yaml = """
      profile: {commands: [F, S], pins: {fire: D7}}
      send: [[1.5, F], [1.7, S]]
      expect: [\(rule)]
      """
    let source = try ChipPrograms(files.path("pulser.hex")).read()
    let results = try run(yaml, on: source)
    #expect(results.flatMap(\.failures).count == (failure == nil ? 0 : 1), "\(results)")
    if let failure {
      #expect(results[0].failures.first?.text.contains(failure) == true, "\(results[0].failures)")
    }
    let onModel = try failures(yaml)
    #expect(
      onModel.first?.contains("shows no levels of pins") == true
        || onModel.first?.contains("D8 was") == true, "\(onModel)")
  }

  @Test func `If a rule fails, the result has what the sender probably meant`() throws {
    let yaml = "send: [[1.5, X100], [2.0, X110.]]\nfirmware: classic\nexpect: ["
    let failed = try run(yaml + "servo: 110]")
    #expect(failed[0].meant.count == 2)
    #expect(failed[0].meant.first?.hasPrefix("1.501042 s  `X100` had no end") == true)
    #expect(try run(yaml + "servo: 100]")[0].meant.isEmpty)
  }

  @Test func `The session is kept as a trace if it fails, and replays to the same`() throws {
    let results = try run(
      "send: [[1.5, X45.], [1.6, L]]\nexpect: [servo: 46]", keepsTrace: true)
    let text = try #require(results[0].trace)
    var reader = try TraceReader(text: text, path: "trace")
    #expect(reader.header.title == "a" && reader.header.firmware == .guarded)
    var inputs: [Event] = []
    var outputs = 0
    while let event = try reader.next() {
      if event.isInput { inputs.append(event) } else { outputs += 1 }
    }
    #expect(inputs.map(\.kind) == [.receive(Array("X45.".utf8)), .receive([0x4C])])
    #expect(outputs > 10)
    #expect(try run("send: [[1.5, X45.]]\nexpect: [servo: 45]", keepsTrace: true)[0].trace == nil)
  }

  @Test func `A trace is written with --update, judged, and rewritten when it disagrees`() throws {
    func scenario(_ bytes: String) -> String {
      "send: [[1.5, \(bytes)]]\nexpect:\n- trace: golden.jsonl\n- never: lost\n"
    }
    let missing = try run(scenario("X45."))
    guard case .error(.noInput, _) = missing[0].outcome else {
      Issue.record("\(missing[0].outcome)")
      return
    }
    let path = files.path("golden.jsonl")
    let first = try run(scenario("X45."), updates: true)[0]
    #expect(first.outcome == .passed && first.updated == [path])
    let again = try run(scenario("X45."), updates: true)[0]
    #expect(again.outcome == .passed && again.updated.isEmpty)
    #expect(try run(scenario("X45."))[0].outcome == .passed)
    #expect(try failures(scenario("X46.")).count == 1)
    let new = try run(scenario("X46."), updates: true)[0]
    #expect(new.outcome == .passed && new.updated == [path])
    #expect(try run(scenario("X46."))[0].outcome == .passed)
  }

  @Test func `--update does not hide another rule that fails`() throws {
    let result = try run(
      "send: [[1.5, X45.]]\nexpect:\n- trace: golden.jsonl\n- servo: 46\n", updates: true)[0]
    #expect(result.updated.count == 1 && result.failures.map(\.rule) == ["servo 46"])
  }

  @Test func `A session of more than a day is refused`() throws {
    for rule in ["quiet: 90000s", "{servo: 46, before: 90000s}"] {
      let result = try run("send: [[1.5, X45.]]\nexpect: [\(rule)]")[0]
      guard case .error(.malformed, let message) = result.outcome else {
        Issue.record("\(rule): \(result.outcome)")
        continue
      }
      #expect(message.contains("a.yaml:1:1: error: expected a session of at most a day, found"))
    }
  }

  /// Scenarios that are long enough to be cut short, of both kinds.
  static let long = [
    "send: [[1.5, X45.]]\nfor: 80000s\nexpect: [servo: 45]",
    "rig: {faces: [{}], length: 80000s}\nexpect: [{track: 3, for: 50%}]",
  ]

  @Test(arguments: long)
  func `A session that takes longer than its timeout fails`(_ yaml: String) throws {
    let failures = try failures("timeout: 1us\n" + yaml)
    #expect(failures.count == 1)
    #expect(failures[0].hasPrefix("the session was stopped after 0.000001 s (timeout), at "))
  }

  @Test(arguments: long)
  func `The end of the suite cuts a session short`(_ yaml: String) throws {
    try files.write(yaml, "a.yaml")
    let path = files.path("a.yaml")
    let scenario = try #require(try SuiteFiles.scenarios(path).first)
    let turns = Mutex(0)
    let session = VirtualSession(
      test: SuiteTest(path: path, scenario), keepsTrace: false, updates: false,
      isEnding: {
        turns.withLock { turns in
          turns += 1
          return turns > 1
        }
      })
    #expect(session.run(on: ModelSource()).outcome == .ended)
    // Before each of two steps, of which the second does not happen.
    #expect(turns.withLock { $0 } == 2)
  }

  @Test func `Faults disturb what a scenario sends, and one that never struck is named`() throws {
    let yaml = """
      send: [[1.5, X45.]]
      firmware: classic
      faults: [drop:100%, "stall:1s,every=3600s"]
      expect: {never: lost}
      """
    let results = try run(yaml, keepsTrace: true)
    #expect(results.map(\.status) == [.disagree])
    #expect(results.first?.unstruckNote == "stall:1s,every=3600s never struck (seed 1).")
    let trace = String(decoding: try #require(results.first?.trace), as: UTF8.self)
    #expect(trace.contains(#"[1.500000, "x-fault", "drop", "wire", "X45.", ""]"#))
    #expect(!trace.contains(#""rx""#))
  }

  @Test(arguments: [
    ("send: [[1.5, X45.X120.X90.]]\nfaults: [drop:20%]", [1, 2]),
    ("send: [[1.5, X45.X120.X90.]]\nfaults: [drop:20%]\nseed: 9", [9, 10]),
    (
      "rig: {length: 3s, seed: 4, faces: [{start: 70}], detector: {noise: 3px}, "
        + "aim: {follow: no}}", [4, 5]
    ),
  ])
  func `A repetition draws anew, and its seed repeats it alone`(
    session: String, seeds: [UInt64]
  ) throws {
    try files.write(
      "firmware: classic\n\(session)\nexpect: {commands: 1000}", "a.yaml")
    let path = files.path("a.yaml")
    let tests = try SuiteFiles.scenarios(path).map { SuiteTest(path: path, $0) }
    func traces(_ plan: SuitePlan) throws -> [[UInt8]] {
      try plan.runs.map { run in
        let session = VirtualSession(test: plan.test(run), keepsTrace: true, updates: false)
        return try #require(session.run(on: ModelSource()).trace)
      }
    }
    let plan = SuitePlan(tests, repeats: 2)
    #expect(plan.runs.map { plan.seed($0) } == seeds)
    let repeated = try traces(plan)
    #expect(repeated[0] != repeated[1])
    #expect(try traces(SuitePlan(tests)) == [repeated[0]])
    #expect(try traces(SuitePlan(tests, seed: seeds[1])) == [repeated[1]])
  }

  @Test func `A rule with sometimes holds if one session of the suite meets it`() throws {
    let rule = "expect: {sometimes: {fault: drop}}"
    func yaml(_ faults: [String]) -> String {
      faults.enumerated().map { index, fault in
        "name: s\(index)\nfirmware: classic\nsend: [[1.5, X45.]]\nfaults: ['\(fault)']\n\(rule)\n"
      }.joined(separator: "---\n")
    }
    func report(_ faults: [String]) throws -> SuiteReport {
      let results = try run(yaml(faults))
      let path = files.path("a.yaml")
      let tests = try SuiteFiles.scenarios(path).map { SuiteTest(path: path, $0) }
      var report = SuiteReport(SuitePlan(tests, repeats: 1))
      for result in results { _ = report.take(result) }
      return report
    }
    let met = try report(["drop:100%", "dup:100%"])
    #expect(met.status == .agree)
    #expect(met.summary(in: .zero) == "2 scenarios pass (0.000 s)")
    let unmet = try report(["dup:100%", "cut:1"])
    #expect(unmet.status == .disagree)
    let lines = unmet.summary(in: .zero)
    #expect(lines.contains("no session of the suite met it"))
    #expect(lines.contains("the fault drop never struck"))
    #expect(unmet.junit.last?.cases.map(\.name) == ["sometimes fault drop"])
  }

  @Test(
    arguments: [
      // No run has a fault; some have; one run, which is not skipped.
      ("0.0001%", 2, false, "FAILED  no run tested it: "), ("5%", 8, true, nil),
      ("0.0001%", 1, false, nil),
    ] as [(String, Int, Bool, String?)])
  func `A run that does not test a rule about faults by chance is skipped for it`(
    chance: String, repeats: Int, holds: Bool, line: String?
  ) throws {
    try files.write(
      """
      firmware: guarded
      send: [[1.5, X45.], [2.5, X60.], [3.5, X70.], [4.5, X80.]]
      faults: ['dup:\(chance)']
      expect: [{recovers: {within: 2s, after: fault}}, {ends: {sweeping: no}}]
      """, "a.yaml")
    let path = files.path("a.yaml")
    let tests = try SuiteFiles.scenarios(path).map { SuiteTest(path: path, $0) }
    let plan = SuitePlan(tests, repeats: repeats)
    var report = SuiteReport(plan)
    var untested = 0
    for run in plan.runs {
      let result = VirtualSession(test: plan.test(run), keepsTrace: false, updates: false)
        .run(on: ModelSource())
      untested += result.failures.count { $0.isUntested }
      _ = report.take(result)
    }
    #expect(untested > 0)
    #expect((report.status == .agree) == holds, "\(report.summary(in: nil))")
    let lines = report.summary(in: nil)
    #expect(lines.contains("FAILED") == (line != nil), "\(lines)")
    if let line { #expect(lines.contains(line)) }
  }
}
