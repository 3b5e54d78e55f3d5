import Foundation
import Platform
import Sketches
import TestSupport
import Testing

/// The command after `--`: what it receives, what its end means, and that nothing of it is left
/// running.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct SentCommandTests {
  static let ends: [(String, Int32)] = [
    ("exit 0", 0), ("exit 3", 3), ("exit 255", 255), ("kill -KILL $$", 137), ("kill -TERM $$", 143),
    ("kill -HUP $$", 129), ("kill -PIPE $$", 141), ("kill -XFSZ $$", 153),
  ]

  @Test(arguments: ends)
  func `The status is that of the command`(_ command: String, _ status: Int32) async throws {
    let stage = try Stage(command: ["/bin/sh", "-c", command])
    let outcome = try await stage.end()
    #expect(outcome.status == status)
    #expect(stage.recording.hasSuffix("\"mark\", \"end\"]\n"))
    try stage.expectSameReplay(outcome)
  }

  @Test(arguments: [
    ("no-such-program", Int32(127)), ("./missing", 127), ("./plain", 126), ("/", 126),
  ])
  func `A command that cannot be started is named`(_ command: String, _ status: Int32)
    async throws
  {
    let bench = try Bench()
    try bench.write("#!/bin/sh\n", "plain")
    let stage = try Stage(command: [command], in: bench)
    let outcome = try await stage.end()
    #expect(outcome.status == status)
    #expect(outcome.errors.contains("\(command): error: cannot be started: "))
  }

  @Test func `The command gets SENTRY_PORT, prints into no trace, and inherits no descriptor`()
    async throws
  {
    let stage = try Stage(command: [
      "/bin/sh", "-c", "echo \"port $SENTRY_PORT\"; echo err >&2; ls -l /proc/self/fd/",
    ])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    #expect(outcome.errors.contains("port \(stage.port)\n"))
    #expect(outcome.errors.contains("err\n"))
    #expect(!outcome.errors.contains("/dev/p"))
    #expect(!outcome.errors.contains("record.jsonl"))
    #expect(!outcome.output.contains("port"))
  }

  @Test(arguments: Firmware.allCases)
  func `The session continues until the device has handled what the command sent`(
    _ firmware: Firmware
  ) async throws {
    // Classic reads nothing in its first second, so the bytes that arrive in it wait.
    let stage = try Stage(
      firmware.rawValue, command: ["/bin/sh", "-c", "printf X45.X120.X77. >\"$SENTRY_PORT\""])
    let outcome = try await stage.end()
    #expect(outcome.status == 0)
    #expect(stage.recording.contains("\"servo\", 77, 1337]"))
    try stage.expectSameReplay(outcome)
  }

  @Test func `A command that ignores SIGTERM is killed`() async throws {
    let stage = try Stage(
      options: ["--for", "0.3s"], command: ["/bin/sh", "-c", "trap '' TERM; sleep 1800; true"])
    #expect(try await stage.end(within: 30).status == 137)
  }

  @Test func `Processes that a command started do not outlive it when the bench ends first`()
    async throws
  {
    let stage = try Stage(
      options: ["--for", "0.3s"],
      command: ["/bin/sh", "-c", "sh -c \"trap '' TERM; sleep 1800; true\"; true"])
    #expect(try await stage.end(within: 30).status == 143)
  }

  @Test func `A signal to the bench ends the command`() async throws {
    let stage = try Stage(command: [
      "/bin/sh", "-c", "printf X45. >\"$SENTRY_PORT\"; sleep 1800; true",
    ])
    try await stage.recorded(#""servo", 45"#)
    stage.send(SIGTERM)
    let outcome = try await stage.end()
    #expect(outcome.status == 143)
    try stage.expectSameReplay(outcome)
  }
}
