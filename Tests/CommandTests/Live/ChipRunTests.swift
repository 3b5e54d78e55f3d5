import Foundation
import TestSupport
import Testing

/// A prebuilt sketch on the emulated chip, live on a pty.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what senders do to a pty was measured on Linux"))
struct ChipRunTests {
  private static let sender = [
    "/bin/sh", "-c", "sleep 1.2; printf X45. > $SENTRY_PORT; sleep 0.1; printf L > $SENTRY_PORT",
  ]

  @Test(arguments: ["classic", "guarded"])
  func `Bytes arrive, the servo moves, and the recording replays to the same bytes`(
    _ sketch: String
  ) async throws {
    let device = ["--device", "avr:\(ChipProgram.sketch(sketch))"]
    let stage = try Stage(sketch, options: device, command: Self.sender)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output == stage.recording)
    #expect(stage.recording.contains(#""servo", 45, 1008]"#))
    #expect(stage.recording.contains(#""servo", 46, 1018]"#))
    let program = try #require(Bench.program)
    let again = try stage.bench.start(program, ["replay", "record.jsonl"] + device).finish()
    #expect(again.status == 0 && again.output == stage.recording)
  }

  @Test func `A sender's bytes to a chip are recorded as they would be for a board`() async throws {
    let bench = try Bench()
    let sketch = ChipProgram.sketch("guarded")
    let outcome = try bench.script(
      "\"$BENCH\" record --pty ./port --device 'avr:\(sketch)' -o record.jsonl -- "
        + "sh -c 'sleep 0.1; printf X45. > $SENTRY_PORT; sleep 0.1'")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try bench.read("record.jsonl").contains(#""servo", 45, 1008]"#))
    let verified = try bench.script("\"$BENCH\" verify record.jsonl --device 'avr:\(sketch)'")
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test(arguments: [("45, 1008", Int32(0)), ("46, 1018", 1)])
  func `A live session on a chip is judged`(_ angle: String, _ status: Int32) async throws {
    let bench = try Bench()
    try bench.write(
      Sample.inputs(
        "guarded", #"[0.000169, "servo", 90, 1472]"#, #"[1.5, "rx", "X45."]"#,
        #"[1.504242, "servo", \#(angle)]"#),
      "expected.jsonl")
    let stage = try Stage(
      options: [
        "--device", "avr:\(ChipProgram.sketch("guarded"))", "--expect", "expected.jsonl",
      ], command: ["/bin/sh", "-c", "sleep 1.2; printf X45. > $SENTRY_PORT"], in: bench)
    let outcome = try await stage.end()
    #expect(outcome.status == status, "\(outcome.errors)")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid"), "a terminal"))
  func `The view shows nothing of a chip's inside, and its key rewinds the session`() async throws {
    let stage = try RunViewStage("--device avr:\(ChipProgram.sketch("guarded"))")
    try await stage.wait("the view") {
      stage.sees("90°") && stage.sees("nothing sent or answered yet")
        && stage.sees("the sketch's mode is unknown")
    }
    try stage.write("X45.")
    try await stage.wait("the aim") {
      stage.sees("45°") && stage.sees("received  4 bytes") && stage.sees("→ X45.")
    }
    stage.terminal.press(String(repeating: "b", count: 25))
    try await stage.wait("the past") { stage.sees("90°") && stage.sees("received  0 bytes") }
    stage.terminal.press("\u{3}")
    #expect(try await stage.end() == 130)
    stage.expectRestored()
  }
}
