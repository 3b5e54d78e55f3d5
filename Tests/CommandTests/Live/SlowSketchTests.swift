import Foundation
import TestSupport
import Testing

/// A sketch that is emulated more slowly than real time does not keep a session from its end.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "measured on Linux")) struct SlowSketchTests {
  /// Makes all pins outputs, and toggles them in a loop of five cycles.
  private static let words: [UInt16] = [
    0xEF0F, 0xB904, 0xB907, 0xB90A, 0xB903, 0xB906, 0xB909, 0xCFFC,
  ]

  private static let commands = [
    "run --pty port", "run --pty port --pins all", "run --pty port --api -",
    "run --pty port --websocket 127.0.0.1:0", "run --pty port --rfc2217 127.0.0.1:0",
    "gateway --listen 127.0.0.1:0",
  ]

  private static func bench() throws -> Bench {
    let bench = try Bench()
    try bench.write(ChipProgram.hex(words), "slow.hex")
    return bench
  }

  @Test(arguments: commands)
  func `A session ends when its time is up, whatever its sketch does`(_ command: String) throws {
    let bench = try Self.bench()
    // Without a limit it takes a minute in a release build, and many in a debug build. The FIFO is
    // an input that never ends.
    let outcome = try bench.script(
      "mkfifo f; timeout -s KILL 50 \"$BENCH\" \(command) --device avr:slow.hex --for 1300ms "
        + "--record r.jsonl 0<>f >out")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("slower than real time"), "\(outcome.errors)")
    #expect(try bench.read("r.jsonl").contains("\"mark\", \"end\"]\n"))
  }

  @Test(arguments: commands)
  func `A session ends by SIGTERM, whatever its sketch does`(_ command: String) async throws {
    let bench = try Self.bench()
    let program = try #require(Bench.program)
    let running = try bench.start(
      "/bin/bash",
      [
        "-c",
        "mkfifo f; exec \"$0\" \(command) --device avr:slow.hex --record r.jsonl 0<>f >out",
        program,
      ])
    defer { if running.isRunning { kill(running.identifier, SIGKILL) } }
    try await Stage.wait("the recording", within: 50) { bench.size("r.jsonl") > 0 }
    // The sketch falls behind meanwhile.
    try await Task.sleep(for: .milliseconds(300))
    #expect(kill(running.identifier, SIGTERM) == 0)
    let outcome = try running.finish(within: 50)
    #expect(outcome.status == 143, "\(outcome.errors)")
  }
}
