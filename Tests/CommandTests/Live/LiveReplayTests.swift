import Foundation
import TestSupport
import Testing

/// Live recordings of real senders replay in virtual time to the same bytes.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what senders do to a pty was measured on Linux"))
struct LiveReplayTests {
  @Test(
    arguments: SenderCase.all.filter { $0.tools.allSatisfy(\.isExpected) })
  func `A recorded session of a real sender replays to the same bytes`(_ sender: SenderCase)
    async throws
  {
    let stage = try Stage(sender.firmware, options: sender.options, command: sender.command)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains(#""rx""#))
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.allCases.allSatisfy(\.isExpected), "`make test` installs every sender"))
  func `No sender is missing`() {
    for tool in Tool.allCases { #expect(tool.path != nil, "\(tool) is missing") }
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `Ten of ten sessions replay to the same bytes`() async throws {
    try await expectSameReplays(count: 10)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `On a loaded machine a session replays to the same bytes too`() async throws {
    // The load lasts exactly as long as the session, even if this test is scheduled late.
    let loops = ProcessInfo.processInfo.activeProcessorCount
    try await expectSameReplays(
      count: 2,
      shell: """
        for loop in {1..\(loops)}; do (while :; do :; done) & done
        "$0" "$@"; status=$?
        kill $(jobs -p); exit $status
        """)
  }

  private func expectSameReplays(count: Int, shell: String? = nil) async throws {
    let sender = SenderCase.pyserial(
      "bursts", "classic", SenderScript.cameraRate + "\n" + SenderScript.rough)
    let stages = try (0..<count).map { _ in
      try Stage("classic", command: sender.command, shell: shell)
    }
    for (number, stage) in stages.enumerated() {
      let outcome = try await stage.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      try stage.expectSameReplay(outcome, "session \(number + 1)")
    }
  }

  @Test(
    .enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"),
    arguments: [(19_200, true), (9_600, false), (4_800, true)])
  func `A sender at the wrong speed is told so, and the board gets other bytes`(
    _ baud: Int, _ isWrong: Bool
  ) async throws {
    let sender = SenderCase.pyserial("", "guarded", with: "\(baud)", "say('X45.')\ntime.sleep(0.1)")
    let stage = try Stage(command: sender.command)
    let outcome = try await stage.end()
    #expect(
      outcome.errors.contains("The sender writes at \(baud) baud, the board listens at 9600")
        == isWrong)
    #expect(stage.recording.contains("\"baud\", \(baud)]") == isWrong)
    #expect(stage.recording.contains("\"servo\", 45, 1008]") == !isWrong)
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `Opening the port restarts the board, which ignores input while it boots`() async throws {
    let sender = SenderCase.pyserial(
      "", "guarded",
      """
      say("X45.")
      # The servo goes to 90 when the board has booted, for the second time.
      while open("record.jsonl").read().count('"servo", 90') < 2: time.sleep(0.02)
      say("X120.")
      """)
    let stage = try Stage(options: ["--reset-on-open"], command: sender.command)
    let outcome = try await stage.end()
    #expect(stage.recordedLines(with: "\"reset\", 1]") == 1)
    #expect(stage.recordedLines(with: "\"booting\"]") == 4)
    #expect(!stage.recording.contains("\"servo\", 45,"))
    #expect(stage.recording.contains("\"servo\", 120,"))
    try stage.expectSameReplay(outcome)
  }
}
