import Foundation
import TestSupport
import Testing

/// The files of `run --record` after a sender that succeeds, and after one that fails.
@Suite(.ownThread) struct SenderRecordingTests {
  private static let good = Sample.late

  @Test(
    arguments: [
      ("exit 0", [], 0, true), ("exit 3", [], 3, false), ("kill -9 $$", [], 137, false),
      ("exit 3", ["--keep"], 3, true), ("exec sleep 60", ["--timeout", "200ms"], 124, false),
      ("exec sleep 60", ["--for", "200ms"], 143, true),
      ("exit 3", ["--for", "10s"], 3, false),
    ] as [(String, [String], Int32, Bool)])
  func `Only a sender that does not fail replaces an earlier recording`(
    _ script: String, _ options: [String], _ status: Int32, _ replaces: Bool
  ) throws {
    let bench = try Bench()
    try bench.write(Self.good, "aim.jsonl")
    let program = try #require(Bench.program)
    let outcome = try bench.start(
      program,
      ["run", "-q", "--record", "aim.jsonl"] + options + ["--", "/bin/sh", "-c", script]
    ).finish()
    #expect(outcome.status == status, "\(outcome.errors)")
    let recording = try bench.read(replaces ? "aim.jsonl" : "aim.failed.jsonl")
    #expect(recording == outcome.output)
    #expect(recording.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(bench.names == (replaces ? ["aim.jsonl"] : ["aim.failed.jsonl", "aim.jsonl"]))
    if !replaces {
      #expect(try bench.read("aim.jsonl") == Self.good)
      #expect(outcome.errors.contains("aim.failed.jsonl, because the sender did not end"))
    }
  }

  @Test func `A command that cannot be started leaves an earlier recording`() throws {
    let bench = try Bench()
    try bench.write(Self.good, "aim.jsonl")
    let outcome = try bench.run("run", "-q", "--record", "aim.jsonl", "--", "./no-such-command")
    #expect(outcome.status == 127)
    #expect(try bench.read("aim.jsonl") == Self.good)
  }

  @Test func `Benches with a command have ports of their own, and leave nothing`() async throws {
    let bench = try Bench()
    let outcome = try bench.script(
      """
      export XDG_RUNTIME_DIR=$PWD
      for n in 1 2 3; do
        "$BENCH" run -q -- sh -c 'echo "$SENTRY_PORT"; sleep 0.3' >/dev/null 2>port-$n &
      done
      wait
      """)
    #expect(outcome.status == 0)
    let ports = try (1...3).map { try bench.read("port-\($0)") }
    #expect(Set(ports).count == 3)
    #expect(ports.allSatisfy { $0.contains("/sentrybench-") && $0.hasSuffix("/ttySentry\n") })
    #expect(bench.names == ["port-1", "port-2", "port-3"])
  }
}
