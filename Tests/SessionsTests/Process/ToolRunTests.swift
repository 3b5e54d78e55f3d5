import Engine
import Sketches
import Testing

@testable import Sessions

struct ToolRunTests {
  /// What the shell does.
  static let tooLong = ["sleep 60", "exec >&- 2>&-; sleep 60", "while :; do echo a; done"]

  @Test("A program is ended after the time limit, whatever it does", arguments: tooLong)
  func limit(script: String) {
    let error = #expect(throws: Failure.self) {
      try ToolRun.run(["sh", "-c", script], limit: .milliseconds(200))
    }
    #expect(error?.message == "sh: error: it did not end within 200 ms")
  }

  @Test func `What it printed is in order, and its status is known`() throws {
    let run = try ToolRun.run(["sh", "-c", "cat; echo b >&2; echo c; exit 3"], input: [97, 10])
    #expect(run == ToolRun(status: ExitStatus(rawValue: 3), output: Array("a\nb\nc\n".utf8)))
  }

  @Test func `A program that does not exist has no run`() throws {
    let run = try ToolRun.run(["sentrybench-no-such-program"])
    #expect(run == nil)
  }
}
