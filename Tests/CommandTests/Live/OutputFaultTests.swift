import Foundation
import TestSupport
import Testing

/// Outputs of a live session that cannot be written.
@Suite(
  .ownThread, .enabled(if: Tool.isLinux, "/dev/full, and what is left behind is looked up in /proc")
)
struct OutputFaultTests {
  /// A sweep, which writes a line every 15 ms.
  static let sweep = ["/bin/sh", "-c", "printf L >\"$SENTRY_PORT\"; sleep 0.8"]

  @Test func `A recording without room keeps whole lines, and the bench continues`() async throws {
    // The limit applies to files; standard output and error are pipes here.
    let stage = try Stage(
      command: Self.sweep,
      shell: """
        { { (ulimit -S -f 1; exec "$0" "$@"); echo $? >status; } 2>&1 1>&3 | cat >&2; } 3>&1 | cat
        exit "$(cat status)"
        """)
    let outcome = try await stage.end()
    #expect(outcome.status == 74, "\(outcome.errors)")
    #expect(outcome.errors.contains("record.jsonl: error: cannot be written: File too large"))
    #expect(outcome.errors.contains("The recording ends here; the bench continues."))
    let recording = stage.recording
    #expect(recording.utf8.count > 900 && recording.utf8.count <= 1_024)
    #expect(recording.hasSuffix("]\n"))
    #expect(outcome.output.hasPrefix(recording))
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(try stage.replay() == recording)
  }

  @Test func `A recording to a full device ends with 74, and the session is printed too`()
    async throws
  {
    let stage = try Stage(
      options: ["--record", "/dev/full"], records: false, command: Self.sweep)
    let outcome = try await stage.end()
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("/dev/full: error: cannot be written: No space left on device"))
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
  }

  @Test func `A reader that accepts nothing delays neither the session nor its end`() async throws {
    // 300 KB are written to a pipe that holds 64 KB. Its reader takes only the first line until the
    // bench has ended.
    let stage = try Stage(
      options: ["-q", "--baud", "2000000"],
      command: [
        "/bin/sh", "-c",
        """
        head -c 300000 /dev/zero | tr '\\0' A >"$SENTRY_PORT"
        sleep 1
        kill -TERM $PPID
        sleep 1800
        """,
      ],
      shell: """
        "$0" "$@" | { read -r line; while [ -L port ]; do sleep 0.1; done; }
        exit "${PIPESTATUS[0]}"
        """)
    let outcome = try await stage.end()
    #expect(outcome.status == 143, "\(outcome.errors)")
    #expect(stage.recording.utf8.count { $0 == UInt8(ascii: "A") } == 300_000)
    #expect(stage.recording.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(try stage.replay() == stage.recording)
  }

  @Test func `A second bench does not record to the first one's file, and no file is emptied`()
    async throws
  {
    let stage = try Stage()
    try await stage.ready()
    try await stage.recorded("servo")
    let before = stage.recording
    let other = try stage.bench.run(
      "run", "--pty", stage.bench.path("other"), "--record", "record.jsonl", "--for", "10ms")
    #expect(other.status == 74)
    #expect(other.errors == "record.jsonl: error: another bench is recording to this file\n")
    #expect(stage.recording == before)
    let same = try stage.bench.run("run", "--pty", stage.port, "--record", "record.jsonl")
    #expect(same.status == 69)
    #expect(stage.recording == before)
    stage.send(SIGTERM)
    #expect(try await stage.end().status == 143)
  }

  @Test func `A recording that cannot be started ends with 74 at once`() throws {
    let bench = try Bench()
    let outcome = try bench.run("run", "--pty", "port", "--record", "missing/r.jsonl")
    #expect(outcome.status == 74)
    #expect(
      outcome.errors == "missing/r.jsonl: error: cannot be written: No such file or directory\n")
    #expect(outcome.output.isEmpty)
    #expect(bench.names.isEmpty)
  }

  @Test func `A broken pipe of the trace ends with 141 and no message, and ends the command`()
    async throws
  {
    let stage = try Stage(
      options: ["-q"], command: ["/bin/sh", "-c", "printf L >\"$SENTRY_PORT\"; sleep 1800; true"],
      shell: "\"$0\" \"$@\" | head -n 1; exit \"${PIPESTATUS[0]}\"")
    let outcome = try await stage.end()
    #expect(outcome.status == 141)
    #expect(outcome.lines.count == 1)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
  }

  @Test func `A full standard output ends with 74 and a sentence`() async throws {
    let stage = try Stage(
      command: ["/bin/sh", "-c", "sleep 1800; true"], shell: "exec \"$0\" \"$@\" >/dev/full")
    let outcome = try await stage.end()
    #expect(outcome.status == 74)
    #expect(
      outcome.errors.hasSuffix(
        "standard output: error: cannot be written: No space left on device\n"))
  }
}
