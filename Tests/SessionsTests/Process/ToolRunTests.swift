import Engine
import Sketches
import TestSupport
import Testing

@testable import Sessions

struct ToolRunTests {
  /// What the shell does.
  static let tooLong =
    [
      "sleep 60", "exec >&- 2>&-; sleep 60", "while :; do echo a; done", "sleep 60 & wait",
      "trap '' HUP INT TERM; while :; do sleep 60; done",
    ] + (OperatingSystem.isLinux ? ["exec setsid sleep 60"] : [])

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

  @Test(
    "A program that has ended is not waited for, whoever holds its output",
    arguments: [
      "echo a; sleep 60 & exit 3", "echo a; (sleep 60 &) ; exit 3",
    ])
  func holder(script: String) throws {
    let run = try ToolRun.run(["sh", "-c", script], limit: .seconds(50))
    #expect(run == ToolRun(status: ExitStatus(rawValue: 3), output: Array("a\n".utf8)))
  }

  @Test func `A program whose result is no longer needed is ended`() throws {
    var turns = 0
    let outcome = try ToolRun.outcome(of: ["sleep", "60"], limit: nil) {
      turns += 1
      return turns > 3
    }
    #expect(outcome == .stopped)
  }

  @Test func `A program that does not exist has no run`() throws {
    let run = try ToolRun.run(["sentrybench-no-such-program"])
    #expect(run == nil)
  }
}
