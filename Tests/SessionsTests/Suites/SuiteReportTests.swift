import Devices
import Engine
import Testing

@testable import Sessions

/// What a suite reports.
@Suite("Suite report") struct SuiteReportTests {
  private static let failure = SuiteFailure(
    place: "s/a.yaml:3:5", rule: "commands 0..1",
    text: "s/a.yaml:3:5: commands 0..1 failed\n  the sender sent 2 commands")
  private static let failed = SuiteResult(.failed([failure]))
  private static let error = SuiteResult(.error(.unavailable, "error: no such device"))
  private static let passed = SuiteResult(.passed)
  private static let ended = SuiteResult(.ended)

  private static func plan(_ count: Int, repeats: Int = 1) -> SuitePlan {
    SuitePlan(
      (0..<count).map { SuitePlanTests.test("s/a.yaml", "test \($0)") }, repeats: repeats)
  }

  private static func report(_ results: [SuiteResult], refused: [RefusedFile] = [])
    -> SuiteReport
  {
    var report = SuiteReport(plan(results.count), refused: refused)
    for result in results { _ = report.take(result) }
    return report
  }

  @Test(arguments: [
    ([passed], "1 scenario passes (0.000 s)", 0),
    ([passed, passed], "2 scenarios pass (0.000 s)", 0),
    ([], "0 scenarios pass (0.000 s)", 0),
    ([failed], "0 of 1 scenario passes, 1 fails (0.000 s)", 1),
    ([passed, failed, failed], "1 of 3 scenarios passes, 2 fail (0.000 s)", 1),
    (
      [passed, error, failed],
      "1 of 3 scenarios passes, 1 fails, 1 could not be judged (0.000 s)", 69
    ),
    ([passed, ended, ended], "1 of 3 scenarios passes, 2 not run to the end (0.000 s)", 0),
  ])
  func `The summary counts, and the worst status is the suite's`(
    results: [SuiteResult], summary: String, status: Int32
  ) {
    let report = Self.report(results)
    #expect(report.summary(in: .zero) == summary)
    #expect(report.status.rawValue == status)
  }

  @Test func `A fault is reported if it struck in no run of a scenario that is repeated`() throws {
    let (drop, dup) = (try FaultSpec.parse("drop:1%"), try FaultSpec.parse("dup:1%"))
    func printed(_ unstruck: [[FaultSpec]]) -> (runs: [String?], summary: String) {
      var report = SuiteReport(Self.plan(1, repeats: unstruck.count))
      let runs = unstruck.map { specs in
        var result = Self.passed
        result.unstruck = specs
        result.unstruckNote = specs.isEmpty ? nil : "a note"
        return report.take(result)
      }
      return (runs, report.summary(in: .zero))
    }
    let one = printed([drop])
    #expect(one.runs == ["s/a.yaml: test 0 (0.000 s): a note"])
    #expect(one.summary == "1 scenario passes (0.000 s)")
    let some = printed([drop + dup, [], drop])
    #expect(some.runs == [nil, nil, nil])
    #expect(some.summary == "3 runs pass, of 1 scenario (0.000 s)")
    let never = printed([drop + dup, drop]).summary
    #expect(never.hasPrefix("s/a.yaml: test 0: drop:1% never struck in 2 runs\n"))
  }

  @Test(arguments: [
    ("drop:1%", true, true), ("drop:1%", false, false), ("stall:1s,every=60s", true, false),
  ])
  func `Where chance left a rule untested, more seeds are advised`(
    _ fault: String, _ isUntested: Bool, _ isAdvised: Bool
  ) throws {
    var failure = Self.failure
    failure.isUntested = isUntested
    var result = SuiteResult(.failed([failure]))
    result.unstruck = try FaultSpec.parse(fault)
    result.unstruckNote = "\(fault) never struck (seed 1)."
    var report = SuiteReport(Self.plan(1))
    let text = report.take(result) ?? ""
    #expect(text.contains("(seed 1). --repeat 20 runs the scenario with 20 seeds.") == isAdvised)
  }

  @Test func `A file that is not a scenario counts, and the others are still reported`() {
    let refused = RefusedFile("s/b.yaml", Failure(.malformed, "s/b.yaml:1:1: error"))
    let report = Self.report([Self.failed], refused: [refused])
    #expect(report.status == .malformed)
    #expect(
      report.summary(in: .zero)
        == "0 of 1 scenario passes, 1 fails, 1 file could not be read (0.000 s)")
  }

  @Test func `What the sender probably meant is shown after the rules that failed`() {
    var failed = Self.failed
    failed.meant = (1...12).map { "\($0).000000 s  `X100` had no end" }
    var report = SuiteReport(Self.plan(1))
    let lines = (report.take(failed) ?? "").split(separator: "\n")
    #expect(lines[3] == "What the sender probably meant and did not get:")
    #expect(lines[4] == "  1.000000 s  `X100` had no end")
    #expect(lines.dropFirst(13) == ["  10.000000 s  `X100` had no end", "  and 2 more"])
    #expect(report.lastJSON.contains(#""meant": ["1.000000 s"#))
  }

  @Test func `A wrong speed is named before anything that failed because of it`() {
    let wrong = "the sender writes at 115200 baud, the board listens at 9600"
    var failed = Self.failed
    failed.wrongSpeed = wrong
    failed.add(SuiteFailure("the sender ended with status 2"))
    var report = SuiteReport(Self.plan(1))
    let lines = (report.take(failed) ?? "").split(separator: "\n")
    #expect(
      lines == [
        "FAILED  s/a.yaml: test 0 (0.000 s)", Substring(wrong), "the sender ended with status 2",
        "s/a.yaml:3:5: commands 0..1 failed", "  the sender sent 2 commands",
      ])
    #expect(report.lastJSON.contains(#""wrong_speed": "\#(wrong)""#))
    guard case .error(let message, let text) = report.junit[0].cases[0].outcome else {
      Issue.record("the sender's failure is no error")
      return
    }
    #expect(message == wrong)
    let next = "\nthe sender ended with status 2\ns/a.yaml:3:5: commands 0..1 failed\n"
    #expect(text.hasPrefix(wrong + next))
  }

  @Test func `A sender that failed is shown before the rules that fail because of it`() {
    var report = SuiteReport(Self.plan(1))
    var failed = Self.failed
    failed.add(SuiteFailure("the sender ended with status 2"))
    failed.output.append(Array("no such file\n".utf8))
    #expect(
      report.take(failed) == """
        FAILED  s/a.yaml: test 0 (0.000 s)
        the sender ended with status 2
        the sender printed:
          | no such file
        s/a.yaml:3:5: commands 0..1 failed
          the sender sent 2 commands
        """)
  }

  @Test func `What failed is shown with its rule and what the sender printed`() {
    var report = SuiteReport(Self.plan(3))
    var failed = Self.failed
    failed.elapsed = .milliseconds(1_250)
    failed.output.append(Array("one\n\u{1B}[2Jtwo\n".utf8))
    #expect(
      report.take(failed) == """
        FAILED  s/a.yaml: test 0 (1.250 s)
        s/a.yaml:3:5: commands 0..1 failed
          the sender sent 2 commands
        the sender printed:
          | one
          | \\u001b[2Jtwo
        """)
    #expect(report.take(Self.passed) == nil)
    #expect(
      report.take(Self.error) == "ERROR   s/a.yaml: test 2 (0.000 s)\nerror: no such device")
  }

  @Test func `What the sender printed follows the reason why it could not be judged`() {
    var report = SuiteReport(Self.plan(1))
    var error = Self.error
    error.output.append(Array("hello\n".utf8))
    #expect(
      report.take(error) == """
        ERROR   s/a.yaml: test 0 (0.000 s)
        error: no such device
        the sender printed:
          | hello
        """)
  }

  @Test func `With -v what passed is shown too, and with --update what was rewritten`() {
    var report = SuiteReport(Self.plan(3))
    #expect(report.take(Self.passed, isVerbose: true) == "passed  s/a.yaml: test 0 (0.000 s)")
    var updated = Self.passed
    updated.updated = ["s/a.jsonl"]
    #expect(report.take(updated) == "s/a.jsonl: updated")
    #expect(report.take(Self.ended, isVerbose: true) == nil)
  }

  @Test func `--flaky shows the first failure of a scenario and how often it failed`() {
    var report = SuiteReport(Self.plan(2, repeats: 3), isFlaky: true)
    let shown = [
      Self.failed, Self.passed, Self.failed, Self.passed, Self.passed, Self.ended,
    ].map { report.take($0) != nil }
    #expect(shown == [true, false, false, false, false, false])
    #expect(
      report.summary(in: .zero) == """
        s/a.yaml: test 0: failed in 2 of 3 runs
        3 of 6 runs pass, 2 fail, 1 not run to the end, of 2 scenarios (0.000 s)
        """)
  }

  @Test func `Only the end of a long output is shown`() {
    var output = ErrorTail(keeping: SuiteOutput.keptMax)
    for line in 1...100 { output.append(Array("\(line)\n".utf8)) }
    let lines = SuiteOutput.lines(output)
    #expect(lines.count == SuiteOutput.lineMax + 1)
    #expect(lines.first == "(the end)" && lines.last == "100")
  }

  @Test func `In JUnit a file is a suite, its path without the ending a class`() {
    let report = Self.report(
      [Self.passed, Self.failed, Self.error, Self.ended],
      refused: [
        RefusedFile("b.yaml", Failure(.malformed, "b.yaml:1:1: error: <x>\nb.yaml:2:1: error: y"))
      ])
    #expect(
      JUnitText.text(of: report.junit) == """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites>
          <testsuite name="s/a.yaml" tests="4" failures="1" errors="1" skipped="1" time="0.000">
            <testcase classname="s/a" name="test 0" time="0.000"/>
            <testcase classname="s/a" name="test 1" time="0.000">
              <failure message="s/a.yaml:3:5: commands 0..1 failed">s/a.yaml:3:5: commands 0..1 failed
          the sender sent 2 commands</failure>
            </testcase>
            <testcase classname="s/a" name="test 2" time="0.000">
              <error message="error: no such device"/>
            </testcase>
            <testcase classname="s/a" name="test 3" time="0.000">
              <skipped message="the suite was ended before the end of this scenario"/>
            </testcase>
          </testsuite>
          <testsuite name="sentrybench test" tests="1" failures="0" errors="1" time="0.000">
            <testcase classname="files" name="b.yaml" time="0.000">
              <error message="b.yaml:1:1: error: &lt;x&gt;">b.yaml:1:1: error: &lt;x&gt;
        b.yaml:2:1: error: y</error>
            </testcase>
          </testsuite>
        </testsuites>

        """)
  }

  private static func junit(_ results: [SuiteResult]) -> String {
    JUnitText.text(of: report(results).junit)
  }

  @Test func `JUnit has what the sender probably meant, as the terminal does`() {
    var failed = Self.failed
    failed.meant = (1...12).map { "\($0).000000 s  `X100` had no end" }
    #expect(
      Self.junit([failed]).contains(
        """
        the sender sent 2 commands
        What the sender probably meant and did not get:
          1.000000 s  `X100` had no end
        """))
    #expect(Self.junit([failed]).contains("\n  and 2 more</failure>"))
  }

  @Test func `In JUnit a sender that failed is an error, with the rules that fail because of it`() {
    var failed = Self.failed
    failed.add(SuiteFailure("the sender ended with status 2"))
    failed.output.append(Array("no such file\n".utf8))
    let text = Self.junit([failed, Self.failed])
    #expect(text.contains("failures=\"1\" errors=\"1\""))
    #expect(
      text.contains(
        """
        <error message="the sender ended with status 2">the sender ended with status 2
        s/a.yaml:3:5: commands 0..1 failed
          the sender sent 2 commands</error>
              <system-err>no such file</system-err>
        """))
  }

  @Test func `In JUnit files that differ in their ending alone are different classes`() {
    let paths = ["s/a.yaml", "s/a.yml", "s/b.yaml", "s.d/c", "d"]
    var report = SuiteReport(SuitePlan(paths.map { SuitePlanTests.test($0, "test") }))
    for _ in paths { _ = report.take(Self.passed) }
    let classes = JUnitText.text(of: report.junit).split(separator: "classname=\"").dropFirst()
      .map { $0.prefix { $0 != "\"" } }
    #expect(classes == ["s/a.yaml", "s/a.yml", "s/b", "s.d/c", "d"])
  }

  @Test func `In JSON each run is an object`() {
    var report = SuiteReport(Self.plan(1))
    var failed = Self.failed
    failed.ruleCount = 1
    failed.sender = SenderReport(.ended(.init(rawValue: 7)), status: .init(rawValue: 7))
    failed.sender?.errors.append(Array("x\n".utf8))
    _ = report.take(failed)
    #expect(
      report.lastJSON == #"{"file": "s/a.yaml", "scenario": "test 0", "verdict": "disagrees", "#
        + #""status": 1, "rules": 1, "seconds": 0.000, "failures": [{"place": "s/a.yaml:3:5", "#
        + #""rule": "commands 0..1", "text": "s/a.yaml:3:5: commands 0..1 failed\n  the sender "#
        + #"sent 2 commands"}], "sender": {"status": 7, "stderr": "x"}}"#)
  }
}
