import Foundation
import Testing

/// Sessions of real senders, recorded live, replay in virtual time to the same bytes.
@Suite(.enabled(if: Tool.isLinux, "what senders do to a pty was measured on Linux"))
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
  func `No sender was left out`() {
    for tool in Tool.allCases { #expect(tool.path != nil, "\(tool) is missing") }
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `Ten sessions of ten replay to the same bytes`() async throws {
    try await expectSameReplays(count: 10)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `On a loaded machine a session replays to the same bytes too`() async throws {
    let load = try Bench()
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    let busy = try (0..<count).map { _ in
      try load.start("/bin/sh", ["-c", "while :; do :; done"])
    }
    defer { for loop in busy { kill(loop.identifier, SIGKILL) } }
    try await expectSameReplays(count: 2)
    let stillBusy = busy.count(where: \.isRunning)
    #expect(stillBusy == count)
  }

  private func expectSameReplays(count: Int) async throws {
    let sender = SenderCase.pyserial(
      "bursts", "classic", SenderScript.cameraRate + "\n" + SenderScript.rough)
    let stages = try (0..<count).map { _ in try Stage("classic", command: sender.command) }
    for (number, stage) in stages.enumerated() {
      let outcome = try await stage.end()
      #expect(outcome.status == 0, "\(outcome.errors)")
      try stage.expectSameReplay(outcome, "session \(number + 1)")
    }
  }

  @Test(
    .enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"),
    arguments: [(19_200, true), (9_600, false), (4_800, true)])
  func `A sender at the wrong speed is told so, and the board gets something else`(
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
  func `An opening restarts the board, which hears nothing while it boots`() async throws {
    let sender = SenderCase.pyserial(
      "", "guarded", "say('X45.')\ntime.sleep(0.5)\nsay('X120.')")
    let stage = try Stage(
      options: ["--reset-on-open", "--dead-time", "300ms"], command: sender.command)
    let outcome = try await stage.end()
    #expect(stage.recordedLines(with: "\"reset\", 0.3]") == 1)
    #expect(stage.recordedLines(with: "\"booting\"]") == 4)
    #expect(!stage.recording.contains("\"servo\", 45,"))
    #expect(stage.recording.contains("\"servo\", 120,"))
    try stage.expectSameReplay(outcome)
  }
}
