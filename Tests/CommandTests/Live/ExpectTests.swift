import Foundation
import Sketches
import TestSupport
import Testing
import Traces

/// `run --expect`: a sender's session judged by a trace.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct ExpectTests {
  /// Two aims, half a second apart.
  static let aims = """
    {"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 1}
    [0.000200, "servo", 90, 1472]
    [0.300000, "rx", "X45."]
    [0.304233, "servo", 45, 1008]
    [0.304233, "tone", 900]
    [0.464169, "tone", 0]
    [0.800000, "rx", "X135."]
    [0.805275, "servo", 135, 1936]

    """

  static func sender(_ script: String) -> [String] {
    ["/bin/sh", "-c", "exec >\"$SENTRY_PORT\"; \(script)"]
  }

  /// Runs a bench that judges a sender by a trace, which it stores as `wished.jsonl`.
  private func judge(
    _ trace: String = aims, options: [String] = [], command: [String] = []
  ) async throws -> (stage: Stage, outcome: Bench.Outcome) {
    let bench = try Bench()
    try bench.write(trace, "wished.jsonl")
    let stage = try Stage(
      options: ["--expect", "wished.jsonl"] + options, command: command, in: bench)
    return (stage, try await stage.end())
  }

  @Test(arguments: [
    "printf X45.; sleep 0.1; printf X135.",
    "printf X45.X135.",
    "printf X; printf 4; sleep 0.05; printf 5; printf .X; sleep 0.05; printf 135.",
  ])
  func `A sender with another timing or other division into writes agrees`(_ script: String)
    async throws
  {
    let (stage, outcome) = try await judge(command: Self.sender(script))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("wished.jsonl: agrees: "))
    // The verdict is printed on standard error; standard output is still a trace.
    #expect(outcome.output == stage.recording)
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
    try stage.expectSameReplay(outcome)
  }

  @Test(arguments: [
    (
      "printf X46.X135.", #"byte 3 of 9 differs: expected "5.X135." after "X4", received "6.X135.""#
    ),
    ("printf X45.", #"the sender stopped after 4 of 9 bytes: expected "X135." after "X45.""#),
    ("printf X45.X135.X10.", #"continued after the trace's 9 bytes: received "X10." after"#),
    ("exit 0", #"the sender stopped after 0 of 9 bytes: expected "X45.X135...", received nothing"#),
  ])
  func `A sender that sends other bytes ends with 1 and a sentence with the place`(
    _ script: String, _ message: String
  ) async throws {
    let (stage, outcome) = try await judge(command: Self.sender(script))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.errors.contains("wished.jsonl:"))
    try stage.expectSameReplay(outcome)
  }

  static let wishes: [(String, String, String)] = [
    // A different output, a missing output, and an unexpected output.
    ("45, 1008", "46, 1018", "expected servo 46 (1018 us)"),
    (
      #"[0.805275, "servo", 135, 1936]"#,
      #"[0.805275, "servo", 135, 1936]"# + "\n"
        + #"[0.806000, "servo", 10, 647]"#, "servo 10 (647 us)"
    ),
    (#"[0.304233, "servo", 45, 1008]"# + "\n", "", "servo 45 (1008 us)"),
    (#"[0.304233, "servo", 45"#, #"[0.340000, "servo", 45"#, "servo 45 (1008 us) came"),
  ]

  @Test(arguments: wishes.indices)
  func `A servo that differs from the expectation ends with 1, also in the JUnit report`(
    _ index: Int
  ) async throws {
    let (old, new, message) = Self.wishes[index]
    var lines = Self.aims.replacing(old, with: new).split(separator: "\n")
    lines = [lines[0]] + lines.dropFirst().sorted { Self.time($0) < Self.time($1) }
    let (stage, outcome) = try await judge(
      lines.joined(separator: "\n") + "\n", options: ["--junit", "report.xml"],
      command: Self.sender("printf X45.; sleep 0.3; printf X135."))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    let report = try XMLReport(stage.bench.read("report.xml"))
    #expect(report.names.starts(with: ["testsuites", "testsuite", "testcase", "failure"]))
    #expect(report.attributes["failures"] == "1" && report.attributes["errors"] == "0")
    #expect(report.attributes["message"]?.contains(message) == true)
  }

  private static func time(_ line: Substring) -> Double {
    Double(line.dropFirst().prefix { $0 != "," }) ?? -1
  }

  @Test func `A build with another timing is judged by its own figures`() async throws {
    var slow = ClassicSketch.measuredTiming
    slow.step = .milliseconds(60)
    let bench = try Bench()
    try bench.write(slow.text, "slow.json")
    try bench.write(
      """
      {"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 3}
      [1.500000, "rx", "L"]
      [2.000000, "rx", "X90."]

      """, "inputs.jsonl")
    let wished = try bench.run("replay", "inputs.jsonl", "--timing", "slow.json")
    try bench.write(wished.output, "wished.jsonl")
    // It sweeps for longer than in the trace. The additional steps must be those of the build's own
    // sweep.
    let stage = try Stage(
      "classic", options: ["--expect", "wished.jsonl", "--timing", "slow.json"],
      command: Self.sender("sleep 1.5; printf L; sleep 1.2; printf X90."), in: bench)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("wished.jsonl: agrees: "))
  }

  @Test func `The tolerance decides what is late`() async throws {
    // Expected 30 ms after the last byte, but done at once.
    let late = Self.aims.replacing("0.805275", with: "0.835275")
    let command = Self.sender("printf X45.; sleep 0.2; printf X135.")
    #expect(try await judge(late, command: command).outcome.status == 1)
    let wide = try await judge(late, options: ["--tolerance", "40ms"], command: command).outcome
    #expect(wide.status == 0, "\(wide.errors)")
  }

  @Test(arguments: ["printf X45.X135.", "printf X45."])
  func `The JSON report is one object on standard output, without a trace`(_ script: String)
    async throws
  {
    let (stage, outcome) = try await judge(
      options: ["--json", "--junit", "report.xml"], command: Self.sender(script))
    let agrees = script.contains("X135.")
    #expect(outcome.status == (agrees ? 0 : 1))
    #expect(outcome.lines.count == 1)
    let object =
      try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
    #expect(object?["verdict"] as? String == (agrees ? "agrees" : "disagrees"))
    #expect(object?["status"] as? Int == (agrees ? 0 : 1))
    #expect(object?["file"] as? String == "wished.jsonl")
    #expect((object?["divergence"] == nil) == agrees)
    // The recording does not depend on the verdict.
    #expect(stage.recording == (try stage.replay()))
    let report = try XMLReport(stage.bench.read("report.xml"))
    #expect(report.attributes["tests"] == "1")
    #expect(report.names.contains("failure") != agrees)
  }

  @Test(arguments: [
    ("printf X45.X135.; exit 3", 3), ("exit 7", 7), ("exit 1", 1),
    ("printf X45.X135.; kill -9 $$", 137),
  ])
  func `A command that fails determines the status`(_ script: String, _ status: Int32) async throws
  {
    let (stage, outcome) = try await judge(
      options: ["--junit", "report.xml"], command: Self.sender(script))
    #expect(outcome.status == status)
    let report = try XMLReport(stage.bench.read("report.xml"))
    #expect(report.names.contains("error") && report.attributes["errors"] == "1")
  }

  @Test func `A sender that crashes is in the report, with its error and the divergence`()
    async throws
  {
    let (stage, outcome) = try await judge(
      options: ["--junit", "report.xml"],
      command: Self.sender("printf X45.; sleep 0.1; echo no such file >&2; exit 7"))
    #expect(outcome.status == 7)
    #expect(outcome.errors.contains("no such file\n"))
    #expect(outcome.errors.contains("error: the sender ended with status 7\n"))
    let report = try XMLReport(stage.bench.read("report.xml"))
    #expect(report.attributes["message"] == "the sender ended with status 7")
    #expect(report.attributes["classname"] == "wished")
    let text = try stage.bench.read("report.xml")
    #expect(text.contains("the sender stopped after 4 of 9 bytes"))
    #expect(text.contains("the sender&#39;s standard error:\nno such"))
  }

  @Test func `A sender that hangs is stopped at its limit, with status 124`() async throws {
    let (stage, outcome) = try await judge(
      options: ["--junit", "report.xml", "--timeout", "300ms"],
      command: Self.sender("printf X45.; exec sleep 60"))
    #expect(outcome.status == 124)
    #expect(
      outcome.errors.contains(
        "error: the sender was stopped after 0.3 s; --timeout sets the limit\n"))
    #expect(outcome.errors.contains("the sender stopped after 4 of 9 bytes"))
    let report = try XMLReport(stage.bench.read("report.xml"))
    #expect(report.attributes["message"] == "the sender was stopped after 0.3 s")
  }

  @Test func `A report without a trace is about the sender`() async throws {
    let bench = try Bench()
    for (script, status) in [("exit 0", 0), ("echo broken >&2; exit 3", 3)] {
      let outcome = try bench.run(
        "run", "-q", "--junit", "report.xml", "--", "/bin/sh", "-c", script)
      #expect(outcome.status == Int32(status))
      let report = try XMLReport(bench.read("report.xml"))
      #expect(report.attributes["errors"] == (status == 0 ? "0" : "1"))
    }
    #expect(try bench.read("report.xml").contains("standard error:\nbroken"))
  }

  @Test(arguments: [
    (["--expect", "a", "--expect", "b"], "--expect can be given once"),
    (["--timeout", "5s"], "--timeout requires a command after --."),
    (["--junit", "x.xml"], "--junit requires --expect, --rules, --strict or a command after --."),
    (["--gaps", "5ms"], "--tolerance and --gaps require --expect."),
    (["--timeout", "5", "--", "true"], "The value '5' is invalid for '--timeout"),
  ])
  func `What judges nothing is refused`(_ options: [String], _ message: String) throws {
    let refusal = try #require(Refusal(of: ["run"] + options))
    #expect(refusal.status == 64)
    #expect(refusal.message.contains(message), "\(refusal.message)")
  }

  @Test func `With --for the verdict is reached when the time is over, with or without a command`()
    async throws
  {
    let silent = try await judge(options: ["--for", "300ms"]).outcome
    #expect(silent.status == 1)
    #expect(silent.errors.contains("the sender stopped after 0 of 9 bytes"))
    // The command is then ended by the bench, which determines its status.
    let long = try await judge(
      options: ["--for", "900ms"], command: Self.sender("printf X45.X135.; exec sleep 60")
    ).outcome
    #expect(long.status == 143, "\(long.errors)")
    #expect(long.errors.contains("wished.jsonl: agrees: "))
    #expect(long.output.hasSuffix("[0.900000, \"mark\", \"end\"]\n"))
  }

  @Test func `After Ctrl-C the status is 130, and the verdict is printed too`() async throws {
    let bench = try Bench()
    try bench.write(Self.aims, "wished.jsonl")
    let stage = try Stage(
      options: ["--expect", "wished.jsonl", "--junit", "report.xml"], in: bench)
    try await stage.ready()
    try stage.write("X45.")
    try await stage.recorded(#""tone", 0"#)
    stage.send(SIGINT)
    let outcome = try await stage.end()
    #expect(outcome.status == 130)
    let report = try bench.read("report.xml")
    #expect(report.contains("<error message=\"the bench was ended by signal 2\">"))
    #expect(report.contains("the sender stopped after 4 of 9 bytes"))
    #expect(outcome.errors.contains("the sender stopped after 4 of 9 bytes"))
  }

  static let refused: [(trace: String?, status: Int32, message: String)] = [
    (nil, 66, "wished.jsonl: error: cannot be opened: No such file or directory"),
    ("hello\n", 65, "wished.jsonl:1:1: error: expected a header"),
    (aims + "[0.9, \"rx\"\n", 65, "wished.jsonl:9:11: error: expected ',' and the bytes"),
    (
      aims.replacing("\"duration\": 1", with: "\"duration\": 1, \"expects\": [\"pulse\"]"), 1,
      "it expects only what is not compared in a live session: pulses"
    ),
    (String(aims.prefix { $0 != "\n" }) + "\n", 1, "there is nothing to compare"),
  ]

  @Test(arguments: refused.indices)
  func `A trace that judges nothing ends the session at once, without link or command`(_ index: Int)
    throws
  {
    let bench = try Bench()
    let (trace, status, message) = Self.refused[index]
    if let trace { try bench.write(trace, "wished.jsonl") }
    let outcome = try bench.run(
      "run", "--pty", "port", "--expect", "wished.jsonl", "--", "/usr/bin/touch", "started")
    #expect(outcome.status == status)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(bench.names == (trace == nil ? [] : ["wished.jsonl"]))
  }
}
