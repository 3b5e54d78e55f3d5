import TestSupport
import Testing

/// A recording bench between a sender and another bench, whose pty is its board.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "bash knows microseconds from its fifth version on"))
struct RecordAnswerTests {
  /// Sends several queries and prints for each how long the answer took, in microseconds, and the
  /// answer; at the end, prints whether anything follows the last answer. The board has room for
  /// one answer at a time, and the first is for the bench.
  private static let asking = """
    exec 3<>"$SENTRY_PORT"
    sleep 0.4
    for i in 1 2 3 4 5 6 7 8 9 10; do
      begin=${EPOCHREALTIME/[.,]/}
      printf '?' >&3
      read -r -t 20 line <&3
      echo "answer $((${EPOCHREALTIME/[.,]/} - begin)) $line"
    done
    read -r -t 1 line <&3 && echo "more $line"
    true
    """

  @Test func `A sender gets the board's answer as it arrives, and only once`() async throws {
    let stage = try Stage()
    try await stage.ready()
    let recorder = try stage.bench.start(
      try #require(Bench.program),
      [
        "record", "-q", "--port", stage.port, "--pty", stage.bench.path("recorder"), "-o",
        "answers.jsonl", "--", "/bin/bash", "-c", Self.asking,
      ])
    let outcome = try recorder.finish()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.errors.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    let answers = lines.filter { $0.first == "answer" }
    #expect(answers.map(\.last) == Array(repeating: Self.status, count: 10))
    #expect(!lines.contains { $0.first == "more" }, "\(outcome.errors)")
    // The line carries it for 52 ms. In the trace's order it would be held back for 150 ms more.
    let fastest = answers.compactMap { $0.count == 3 ? Int($0[1]) : nil }.min()
    #expect(try #require(fastest) < 150_000)
    let recording = try stage.bench.read("answers.jsonl")
    #expect(recording.split(separator: "\n").count { $0.contains(#""tx""#) } == 490)
    stage.send(15)
    _ = try await stage.end()
  }

  private static let status: Substring = "090 hold ok=00000 no=00000 lost=00000 drop=00000"
}
