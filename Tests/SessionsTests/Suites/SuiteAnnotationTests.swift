import Engine
import Judging
import TestSupport
import Testing
import Traces

@testable import Sessions

/// What CI servers show of a suite, as values.
@Suite struct SuiteAnnotationTests {
  private static let failed = SuiteResult(
    .failed([
      SuiteFailure(
        place: "s/a.yaml:3:5", rule: "commands 0..1",
        text: "s/a.yaml:3:5: commands 0..1 failed\n  the sender sent 2 commands, 50% too many"),
      SuiteFailure("the sender ended with status 1"),
    ]))

  private func report(
    _ results: [SuiteResult], refused: [RefusedFile] = [], repeats: Int = 1
  ) -> SuiteReport {
    let tests = ["one", "two: a|b"].map { SuitePlanTests.test("./s/a.yaml", $0) }
    var report = SuiteReport(SuitePlan(tests, repeats: repeats), refused: refused)
    for result in results { _ = report.take(result) }
    return report
  }

  @Test func `GitHub gets each failure once, at its line, in a line of its own`() {
    let passed = SuiteResult(.passed)
    let report = report([Self.failed, Self.failed, passed, Self.failed], repeats: 2)
    #expect(
      report.annotations.map(\.gitHubCommand) == [
        "::error file=s/a.yaml,line=3,col=5,title=one::commands 0..1 failed%0A  the sender sent 2 "
          + "commands, 50%25 too many",
        "::error file=s/a.yaml,title=one::the sender ended with status 1",
        "::error file=s/a.yaml,line=3,col=5,title=two%3A a|b::commands 0..1 failed%0A  the sender "
          + "sent 2 commands, 50%25 too many",
        "::error file=s/a.yaml,title=two%3A a|b::the sender ended with status 1",
      ])
  }

  @Test func `Each mistake of a file is at its line, and a missing file has none`() throws {
    let files = try TestFolder()
    try files.write("run: x\nexpct: [servo: 45]\nfor: 5\n", "a.yaml")
    let refused = SuiteFiles.read([files.path("a.yaml"), files.path("none.yaml")]).refused
    let annotations = report([], refused: refused).annotations
    #expect(annotations.map(\.place.line) == [2, 3, 0])
    #expect(annotations.map(\.path) == [1, 1, 0].map { [refused[1].path, refused[0].path][$0] })
    #expect(annotations[0].message.hasPrefix("\"expct\" is not known here"))
    #expect(annotations[1].message.hasSuffix("write 5ms or 5s"))
    #expect(!annotations[2].message.isEmpty)
  }

  @Test func `GitLab's entries are the same in the next run`() throws {
    let first = SuiteAnnotation.codeQuality(report([Self.failed]).annotations)
    #expect(first == SuiteAnnotation.codeQuality(report([Self.failed]).annotations))
    let entries = try JSONValue.contents(of: Array(first.utf8), path: "quality.json")
    guard case .array(let list) = entries, list.count == 2 else {
      Issue.record("\(first)")
      return
    }
    #expect(first.contains(#""description": "one: commands 0..1 failed""#), "\(first)")
    #expect(first.contains(#""location": {"path": "s/a.yaml", "lines": {"begin": 3}}"#))
    #expect(first.contains(#""location": {"path": "s/a.yaml", "lines": {"begin": 1}}"#))
  }

  @Test func `The summary lists what failed, and a name means nothing in Markdown`() {
    let text = report([SuiteResult(.passed), Self.failed]).markdown(in: nil)
    #expect(
      text == """
        ### 1 of 2 scenarios passes, 1 fails.

        | scenario | place | what failed |
        |---|---|---|
        | two: a&#124;b | s/a.yaml:3 | commands 0..1 failed |
        | two: a&#124;b | s/a.yaml | the sender ended with status 1 |

        <details><summary>two: a|b</summary>

        <pre>commands 0..1 failed
          the sender sent 2 commands, 50% too many</pre>

        </details>


        """)
    #expect(report([SuiteResult(.passed)]).markdown(in: .zero).hasPrefix("### 1 "))
  }
}
