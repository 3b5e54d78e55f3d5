import Foundation
import Platform
import TestSupport
import Testing

/// The view of `run`, on a terminal like a person's.
@Suite(
  .ownThread,
  .enabled(
    if: Tool.isLinux && FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid"),
    "setsid gives the shell a terminal of its own"))
struct RunViewTests {
  @Test func `The view shows the port, the angle and lines to copy`() async throws {
    let stage = try RunViewStage()
    try await stage.wait("the view") {
      stage.sees("printf X135. > \(stage.port)") && stage.sees("90°")
    }
    #expect(stage.sees("SentryBench  \(stage.port)"))
    #expect(stage.modes.contains("?1049") && !stage.modes.contains("?25"))
    #expect(stage.sees("printf X135. > \(stage.port)"))
    #expect(stage.sees("printf L | socat -u - \(stage.port),raw,echo=0"))
    #expect(stage.sees("python3 -c 'open(\"\(stage.port)\", \"wb\", 0).write(b\"X45.\")'"))
    try stage.write("X45.")
    try await stage.wait("the aim") { stage.sees("45°") && stage.sees("X45.") }
    // Typing on the terminal does not disturb the view.
    stage.terminal.press("hello\n")
    stage.terminal.press("\u{3}")
    #expect(try await stage.end() == 130)
    stage.expectRestored()
    // The terminal shows what it did before the view, and then the session's summary.
    #expect(stage.file("errors").contains("4 bytes received, 1 command, 2 servo events"))
  }

  @Test func `The key q ends the session with status 0`() async throws {
    let stage = try RunViewStage()
    try await stage.wait("the view") { stage.sees("Ctrl-C or q ends") }
    stage.terminal.press("q")
    #expect(try await stage.end() == 0)
    stage.expectRestored()
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
  func `A signal restores the terminal`(_ number: Int32, _ status: Int32) async throws {
    let stage = try RunViewStage()
    try await stage.wait("the view") { stage.sees(stage.port) }
    try stage.write("L")
    try await stage.wait("the sweep") { stage.count(RunViewStage.redraw) > 10 }
    try stage.send(number)
    #expect(try await stage.end() == status)
    stage.expectRestored()
  }

  @Test(arguments: [("", Int32(0)), ("--record /dev/full", 74), ("--expect none.jsonl", 66)])
  func `Every other end restores the terminal too`(_ options: String, _ status: Int32)
    async throws
  {
    let stage = try RunViewStage(options + " --for 700ms")
    #expect(try await stage.end() == status)
    if status == 66 {
      #expect(stage.count("\u{1B}") == 0)
    } else {
      stage.expectRestored()
    }
    if status == 74 {
      // The view may have covered the message, so it is printed again at the end.
      #expect(stage.file("errors").contains("/dev/full: error: cannot be written: No space left"))
      #expect(stage.file("errors").contains("The recording ends here; the bench continues."))
    }
  }

  @Test func `Closing the window ends the session and leaves nothing behind`() async throws {
    let stage = try RunViewStage("--record record.jsonl")
    try await stage.wait("the view") { stage.sees(stage.port) }
    try stage.write("L")
    try await stage.wait("the sweep") { stage.count(RunViewStage.redraw) > 10 }
    stage.hangUp()
    try await Stage.wait("the end") { !stage.bench.names.contains("port") }
    try await Stage.wait("the end") { !stage.isRunning }
    #expect(try stage.bench.read("record.jsonl").hasSuffix("\"mark\", \"end\"]\n"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func `The trace is printed if the environment rules out a moving display`(
    _ environment: [String: String]
  )
    async throws
  {
    let stage = try RunViewStage("--for 300ms", environment: environment)
    #expect(try await stage.end() == 0)
    #expect(stage.count("\u{1B}") == 0)
    let lines = stage.text.components(separatedBy: "\r\n")
    #expect(lines.first?.hasPrefix(#"{"format": "sentry-trace""#) == true)
    #expect(lines.contains(#"[0.000179, "servo", 90, 1472]"#))
    #expect(lines.contains(#"[0.300000, "mark", "end"]"#))
    #expect(stage.file("before") == stage.file("after"))
  }

  @Test func `A sweep is drawn at no more than 30 redraws a second`() async throws {
    let stage = try RunViewStage(
      "--for 2s", aside: "(until [ -e port ]; do sleep 0.01; done; printf L >port) &")
    #expect(try await stage.end() == 0)
    stage.expectRestored()
    let redraws = stage.count(RunViewStage.redraw)
    // At most 30 a second for two seconds of the bench's clock, and one more because both ends
    // count.
    #expect(redraws <= 61)
    #expect(redraws >= 10)
  }

  @Test func `Ctrl-Z restores the terminal, and fg draws everything again`() async throws {
    let stage = try RunViewStage(script: nil)
    var prompts = 0
    func type(_ line: String) async throws {
      prompts += 1
      try await stage.wait("the prompt") { stage.count(RunViewStage.prompt) >= prompts }
      stage.terminal.press(line + "\n")
    }
    try await type("stty -g >before")
    try await type("\"$BENCH\" run --pty \"$PWD/port\" 2>errors")
    try await stage.wait("the view") {
      stage.count(RunViewStage.entering) == 1 && stage.sees("90°")
    }
    stage.terminal.press("\u{1A}")
    try await stage.wait("the stop") { stage.count(RunViewStage.leaving) == 1 }
    try await type("stty -g >between")
    try await type("fg")
    try await stage.wait("the view") { stage.count(RunViewStage.entering) == 2 }
    try stage.write("X45.")
    try await stage.wait("the aim") {
      stage.sees("45°") && stage.sees("SentryBench") && stage.sees("printf X135. > \(stage.port)")
    }
    stage.terminal.press("\u{3}")
    try await stage.wait("the end") { stage.count(RunViewStage.leaving) == 2 }
    try await type("echo $? >status")
    try await type("stty -g >after; exit")
    #expect(try await stage.end() == 130)
    #expect(stage.modes.isSuperset(of: ["?7", "?25"]) && !stage.modes.contains("?1049"))
    #expect(!stage.file("before").isEmpty)
    #expect(stage.file("between") == stage.file("before"))
    #expect(stage.file("after") == stage.file("before"))
  }
}
