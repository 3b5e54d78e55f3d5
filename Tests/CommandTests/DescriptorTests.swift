import Foundation
import Platform
import TestSupport
import Testing

/// Commands that can open hardly any file.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "ulimit -n, and descriptors in /proc"))
struct DescriptorTests {
  private static let commands = [
    "verify . --jobs 4", "verify t.jsonl --uncertainty 5ms --worlds 8 --jobs 4", "explain t.jsonl",
    "rig rig.yaml --sweep gain=0.2..0.4:0.1 --jobs 4", "test suite.yaml --jobs 4",
    "run --for 100ms", "gateway --listen 127.0.0.1:0 --for 100ms",
  ]

  @Test(arguments: commands, 4...6)
  func `Without descriptors the status is 69 with a sentence, on several processors too`(
    _ command: String, _ limit: Int
  ) throws {
    let bench = try Bench()
    for name in ["t.jsonl", "u.jsonl", "v.jsonl"] { try bench.write(Sample.good, name) }
    try bench.write("faces: [{}]\nlength: 1s\n", "rig.yaml")
    try bench.write("name: a\nsend: []\nexpect: []\n---\nname: b\nsend: []\n", "suite.yaml")
    let outcome = try bench.script(
      "exec 3<&- 4<&- 5<&- 6<&-; ulimit -n \(limit); exec $BENCH \(command)")
    #expect(outcome.status == 69, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(
      outcome.errors == "error: sentrybench requires 4 file descriptors, and only \(limit - 3) can "
        + "be opened (Too many open files): raise the limit with `ulimit -n 1024`\n")
  }

  /// Threads of Dispatch open some, and end the process if they cannot.
  @Test func `The threads of several processors need no descriptors`() throws {
    let bench = try Bench()
    try bench.write(Sample.good, "t.jsonl")
    #expect(mkfifo(bench.path("fifo"), 0o600) == 0)
    // Opened for reading too, and kept open, so that the trace never ends.
    let fifo = open(bench.path("fifo"), O_RDWR)
    defer { close(fifo) }
    let program = try #require(Bench.program)
    let running = try bench.start(program, ["verify", "fifo", "t.jsonl", "--jobs", "2"])
    let process = "/proc/\(running.identifier)"
    func names(_ folder: String) -> [String] {
      (try? FileManager.default.contentsOfDirectory(atPath: "\(process)/\(folder)")) ?? []
    }
    let opened = { names("fd").compactMap { readlink("\(process)/fd/\($0)") } }
    #expect(SignalTests.wait { opened().contains(bench.path("fifo")) })
    #expect(names("task").count >= 2)
    #expect(!opened().contains { $0.contains("eventpoll") || $0.contains("eventfd") })
    #expect(kill(running.identifier, SIGTERM) == 0)
    #expect(try running.finish(within: 20).status == 143)
  }

  private func readlink(_ path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }
}
