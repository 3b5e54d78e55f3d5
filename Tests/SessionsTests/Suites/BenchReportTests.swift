import Engine
import Testing

@testable import Sessions

/// The report of a live scenario's bench.
@Suite("Bench report") struct BenchReportTests {
  private static func result(_ json: String, folder: String = "s/") -> SuiteResult? {
    BenchReport(Array(json.utf8))?.result(in: folder)
  }

  @Test func `Places begin with the folder of the file`() throws {
    let result = try #require(
      Self.result(
        #"{"file": "a.yaml", "verdict": "disagrees", "status": 1, "message": "", "rules": 3, "#
          + #""failures": [{"place": "a.yaml:3:5", "rule": "gap", "#
          + #""text": "a.yaml:3:5: gap failed\n  why"}], "#
          + #""sender": {"status": 0, "stderr": "w"}}"#))
    #expect(
      result.outcome
        == .failed([
          SuiteFailure(place: "s/a.yaml:3:5", rule: "gap", text: "s/a.yaml:3:5: gap failed\n  why")
        ]))
    #expect(result.ruleCount == 3)
    #expect(result.wrongSpeed == nil)
    #expect(result.sender == SuiteSender(status: 0, signal: nil, standardError: "w"))
  }

  @Test func `A wrong speed is passed on`() {
    let result = Self.result(
      #"{"verdict": "disagrees", "status": 1, "wrong_speed": "the sender writes", "#
        + #""failures": [{"place": "a.yaml:3:5", "rule": "gap", "text": "gap failed"}]}"#)
    #expect(result?.wrongSpeed == "the sender writes")
  }

  @Test(arguments: [
    (#"{"verdict": "agrees", "status": 0, "rules": 1}"#, SuiteResult.Outcome.passed),
    (#"noise"# + "\n" + #"{"verdict": "agrees", "status": 0}"# + "\n", .passed),
    (
      #"{"verdict": "error", "status": 69, "message": "no board"}"#,
      .error(.unavailable, "no board")
    ),
    (
      #"{"verdict": "error", "status": 69, "message": "m", "sender": {"status": 69}}"#,
      .failed([SuiteFailure("m")])
    ),
    (
      #"{"verdict": "error", "status": 137, "message": "m", "sender": {"signal": 9}}"#,
      .failed([SuiteFailure("m")])
    ),
    (#"{"verdict": "error", "status": 124, "message": "m"}"#, .failed([SuiteFailure("m")])),
    (#"{"verdict": "disagrees", "status": 1, "message": "m"}"#, .failed([SuiteFailure("m")])),
    (
      #"{"verdict": "disagrees", "status": 7, "message": "it ended", "failures": [{"place": "/a", "text": "/a: f"}], "#
        + #""sender": {"status": 7}}"#,
      .failed([
        SuiteFailure("it ended"), SuiteFailure(place: "/a", rule: "", text: "/a: f"),
      ])
    ),
  ])
  func `A sender that fails is a failure, and a bench that fails is an error`(
    json: String, outcome: SuiteResult.Outcome
  ) {
    #expect(Self.result(json)?.outcome == outcome)
  }

  @Test(arguments: [
    "", "\n", "[]", "{", #"{"verdict": "agrees"}"#, #"{"verdict": "maybe", "status": 0}"#,
    #"{"verdict": "agrees", "status": 99999999999999}"#, #"["agrees"]"#, "\u{0}",
  ])
  func `Anything else is no report`(json: String) {
    #expect(Self.result(json) == nil)
  }
}
