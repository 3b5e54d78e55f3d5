import TestSupport
import Testing

/// `run --rfc2217` with pyserial, and with another bench's `--device rfc2217://`.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct RemotePortRunTests {
  private static func stage(_ options: [String] = [], _ body: String) throws -> Stage {
    let script = """
      import os, serial, time
      with serial.serial_for_url(os.environ["SENTRY_RFC2217"], 9600, timeout=5) as port:
          time.sleep(0.3)
          \(body.replacing("\n", with: "\n    "))
      """
    return try Stage(
      options: ["--rfc2217", "0", "--boot-time", "100ms"] + options,
      command: [Tool.pyserial.path ?? "python3", "-W", "ignore", "-c", script])
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `The board restarts when pyserial opens the port, and answers`() async throws {
    let stage = try Self.stage([], #"port.write(b"X45.?"); assert port.read(8) == b"045 hold""#)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(stage.recordedLines(with: #""reset", 0.1]"#) == 1)
    #expect(stage.recordedLines(with: #""rx", "X45.?"]"#) == 1)
    #expect(stage.recordedLines(with: #""servo", 45, 1008]"#) == 1)
    #expect(outcome.errors.contains("listening on rfc2217://127.0.0.1:"))
    #expect(outcome.errors.contains("RFC 2217 has no authentication"))
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `DTR, a break and another speed have the effect that they have on a line`() async throws {
    let body = """
      port.send_break(0.05)
      port.dtr = False
      port.dtr = True
      time.sleep(0.2)
      port.baudrate = 4800
      port.write(b"X")
      time.sleep(0.1)
      """
    let stage = try Self.stage([], body)
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(stage.recordedLines(with: #""reset", 0.1]"#) == 2)
    #expect(stage.recordedLines(with: #""break", 3600]"#) == 1)
    #expect(stage.recordedLines(with: #""break", 0]"#) == 1)
    #expect(stage.recordedLines(with: #""baud", 4800]"#) == 1)
    #expect(outcome.errors.contains("it receives garbled bytes"))
    try stage.expectSameReplay(outcome)
  }

  @Test(.enabled(if: Tool.areExpected(.pyserial), "pyserial is missing"))
  func `With --no-reset the board keeps running when the port is opened`() async throws {
    let stage = try Stage(
      options: ["--rfc2217", "0", "--no-reset"],
      command: [
        Tool.pyserial.path ?? "python3", "-W", "ignore", "-c",
        "import os, serial; serial.serial_for_url(os.environ['SENTRY_RFC2217']).close()",
      ])
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(stage.recordedLines(with: #""reset""#) == 0)
  }

  @Test func `A bench is the board of another bench`() async throws {
    let outcome = try await RecordPatience.attempt {
      let bench = try Bench()
      try bench.write(BoardRunTests.aims, "aims.jsonl")
      let script = #"""
        exec "$0" verify --tolerance 150ms --boot-time 100ms --device "$SENTRY_RFC2217" aims.jsonl
        """#
      let stage = try Stage(
        options: ["--rfc2217", "0", "--boot-time", "100ms"],
        command: ["sh", "-c", script, try #require(Bench.program)], in: bench)
      return try await stage.end()
    } until: {
      $0.errors.contains("1 trace agrees")
    }
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("1 trace agrees"), "\(outcome.errors)")
  }
}
