import Foundation
import Platform
import TestSupport
import Testing

/// What a bench leaves behind that is ended by SIGKILL: no process, and no folder for longer than
/// until the next start.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "processes are looked up in /proc"))
struct OrphanTests {
  /// A sender that ignores requests to end, with another process in its group. Each writes its
  /// number.
  private static let stubborn =
    "trap '' TERM HUP INT; (echo $BASHPID >>pids; while :; do sleep 1; done) & "
    + "echo $$ >>pids; while :; do sleep 1; done"

  private static func numbers(_ bench: Bench) -> [Int32] {
    ((try? bench.read("pids")) ?? "").split(separator: "\n").compactMap { Int32($0) }
  }

  /// Whether the process runs, and is not only waiting for its parent.
  private static func isRunning(_ number: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8) else {
      return false
    }
    return text.split(separator: ")").last?.dropFirst().first != "Z"
  }

  private static func start(_ bench: Bench, _ arguments: [String]) throws -> Bench.Running {
    let program = try #require(Bench.program)
    return try bench.start(
      program, arguments,
      environment: ["TMPDIR": bench.path("tmp"), "XDG_RUNTIME_DIR": bench.path("tmp")])
  }

  private static func leftovers(_ bench: Bench) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: bench.path("tmp"))
  }

  @Test(arguments: ["run", "test"])
  func `No process outlives a bench that is killed, and the next start removes its folder`(
    _ command: String
  ) async throws {
    let bench = try Bench()
    try FileManager.default.createDirectory(
      atPath: bench.path("tmp"), withIntermediateDirectories: true)
    try bench.write(Self.stubborn, "sender.sh")
    try bench.write("run: bash sender.sh\nexpect:\n  - servo: 90\n", "s.yaml")
    let running = try Self.start(
      bench, command == "run" ? ["run", "-q", "--", "bash", "sender.sh"] : ["test", "s.yaml"])
    #expect(SignalTests.wait { Self.numbers(bench).count == 2 })
    let numbers = Self.numbers(bench)
    #expect(numbers.allSatisfy(Self.isRunning))
    #expect(try !Self.leftovers(bench).isEmpty)
    #expect(kill(running.identifier, SIGKILL) == 0)
    _ = try running.finish(within: 20)
    #expect(SignalTests.wait { !numbers.contains(where: Self.isRunning) })
    let next = try Self.start(bench, ["run", "-q", "--", "true"]).finish(within: 60)
    #expect(next.status == 0, "\(next.errors)")
    #expect(try Self.leftovers(bench) == [])
  }

  @Test func `A bench that ends by itself leaves no watcher and no folder`() throws {
    let bench = try Bench()
    try FileManager.default.createDirectory(
      atPath: bench.path("tmp"), withIntermediateDirectories: true)
    let outcome = try Self.start(
      bench,
      [
        "run", "-q", "--", "sh", "-c",
        "ps -o pid= --ppid $PPID >children; sleep 60 >/dev/null 2>&1 &",
      ]
    ).finish(within: 60)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let children = try bench.read("children").split(separator: "\n").compactMap {
      Int32($0.trimmingCharacters(in: .whitespaces))
    }
    #expect(children.count >= 2)
    #expect(SignalTests.wait { !children.contains(where: Self.isRunning) })
    #expect(try Self.leftovers(bench) == [])
  }
}
