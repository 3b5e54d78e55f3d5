import Foundation
import Platform
import TestSupport
import Testing

/// What ends a live session, or stops it for a while.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct EndingTests {
  static let signals: [(Int32, Int32)] = [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)]

  @Test(arguments: signals)
  func `A signal ends the session with everything written and the link removed`(
    _ number: Int32, _ status: Int32
  ) async throws {
    let stage = try Stage()
    try await stage.ready()
    try stage.write("L")
    try await stage.recorded(#""servo""#, times: 5)
    stage.send(number)
    let outcome = try await stage.end()
    #expect(outcome.status == status)
    #expect(stage.recording.hasSuffix("\"mark\", \"end\"]\n"))
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "no python3"))
  func `A bench that is started with blocked signals can still end`() async throws {
    let python = try #require(Tool.pyserial.path)
    let stage = try Stage(
      command: ["/bin/sh", "-c", "printf X45. >\"$SENTRY_PORT\""],
      shell: """
        exec '\(python)' -c '
        import os, signal, sys
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        os.execv(sys.argv[1], sys.argv[1:])' "$0" "$@"
        """)
    #expect(try await stage.end(within: 20).status == 0)
    #expect(stage.recording.contains(#""servo", 45"#))
  }

  @Test func `A second Ctrl-C ends the bench at once, and a command that ignores the first`()
    async throws
  {
    // A separate shell sends the signals, because the second must arrive within the two seconds
    // that a command has to end.
    let stage = try Stage(
      command: [
        "/bin/sh", "-c", "trap '' INT TERM; printf L >\"$SENTRY_PORT\"; sleep 1800; true",
      ],
      shell: """
        "$0" "$@" & bench=$!
        for text in '"rx"' '"end"'; do
          until grep -qs "$text" record.jsonl; do sleep 0.02; done
          kill -INT $bench
        done
        wait $bench
        """)
    let outcome = try await stage.end()
    #expect(outcome.status == 130)
    // The summary is not printed any more.
    #expect(!outcome.errors.contains("received"), "\(outcome.errors)")
    try stage.expectSameReplay(outcome)
  }

  @Test(arguments: [SIGTSTP, SIGSTOP])
  func `A bench that was suspended catches up and still replays to the same bytes`(_ number: Int32)
    async throws
  {
    let stage = try Stage("classic")
    try await stage.ready()
    try stage.write("L")
    try await stage.recorded(#""servo""#, times: 5)
    stage.send(number)
    let isStopped = { self.state(of: stage.identifier) == "T" }
    try await Stage.wait("the stop", until: isStopped)
    let count = stage.recordedLines(with: #""servo""#)
    // An angle that no sweep reaches.
    try stage.write("X7.")
    try await Task.sleep(for: .milliseconds(400))
    #expect(stage.recordedLines(with: #""servo""#) == count)
    stage.send(SIGCONT)
    try await stage.recorded(#""servo", 7, "#)
    // The steps of the sweep during the stop, one every 15 ms, were made up for.
    #expect(stage.recordedLines(with: #""servo""#) > count + 20)
    stage.send(SIGTERM)
    let outcome = try await stage.end()
    #expect(outcome.status == 143)
    try stage.expectSameReplay(outcome)
  }

  @Test func `A session ends after --for, and its trace has that length`() async throws {
    let stage = try Stage(options: ["--for", "250ms"])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("[0.250000, \"mark\", \"end\"]\n"))
    try stage.expectSameReplay(outcome)
  }

  /// Returns the state of a process as a letter: S is sleeping, T is stopped.
  private func state(of process: Int32) -> Substring? {
    (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8))?
      .split(separator: ")").last?.split(separator: " ").first
  }
}
