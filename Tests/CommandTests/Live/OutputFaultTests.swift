import Foundation
import Testing

/// Where a live session's results go, and cannot.
@Suite(.enabled(if: Tool.isLinux, "/dev/full, and what is left behind is looked up in /proc"))
struct OutputFaultTests {
  /// A sweep, which writes a line every 15 ms.
  static let sweep = ["/bin/sh", "-c", "printf L >\"$SENTRY_PORT\"; sleep 0.8"]

  @Test func `When the recording has no more room it keeps whole lines, and the bench goes on`()
    async throws
  {
    // The limit is for files; standard output and error are pipes here.
    let stage = try Stage(
      command: Self.sweep,
      shell: """
        { { (ulimit -S -f 1; exec "$0" "$@"); echo $? >status; } 2>&1 1>&3 | cat >&2; } 3>&1 | cat
        exit "$(cat status)"
        """)
    let outcome = try await stage.end()
    #expect(outcome.status == 74, "\(outcome.errors)")
    #expect(outcome.errors.contains("record.jsonl: error: cannot be written: File too large"))
    #expect(outcome.errors.contains("The recording ends here; the bench goes on."))
    let recording = stage.recording
    #expect(recording.utf8.count > 900 && recording.utf8.count <= 1_024)
    #expect(recording.hasSuffix("]\n"))
    #expect(outcome.output.hasPrefix(recording))
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(try stage.replay() == recording)
  }

  @Test func `A recording to a full device is 74, and the session is printed all the same`()
    async throws
  {
    let stage = try Stage(
      options: ["--record", "/dev/full"], records: false, command: Self.sweep)
    let outcome = try await stage.end()
    #expect(outcome.status == 74)
    #expect(outcome.errors.contains("/dev/full: error: cannot be written: No space left on device"))
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
  }

  @Test func `A recording that cannot be begun is 74 at once`() throws {
    let bench = try Bench()
    let outcome = try bench.run("run", "--pty", "port", "--record", "missing/r.jsonl")
    #expect(outcome.status == 74)
    #expect(
      outcome.errors == "missing/r.jsonl: error: cannot be written: No such file or directory\n")
    #expect(outcome.output.isEmpty)
    #expect(bench.names.isEmpty)
  }

  @Test
  func `When the reader of the trace is gone it is 141 and silence, and the command is ended`()
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

  @Test func `A full standard output is 74 and a sentence`() async throws {
    let stage = try Stage(
      command: ["/bin/sh", "-c", "sleep 1800; true"], shell: "exec \"$0\" \"$@\" >/dev/full")
    let outcome = try await stage.end()
    #expect(outcome.status == 74)
    #expect(
      outcome.errors.hasSuffix(
        "standard output: error: cannot be written: No space left on device\n"))
  }
}
