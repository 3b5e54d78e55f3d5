import Foundation
import Platform
import TestSupport
import Testing

/// `--device serial:PATH` against a second bench, which is the board.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct BoardRunTests {
  static let aims = """
    {"format": "sentry-trace", "version": 1, "firmware": "guarded", "duration": 1.4, "expects": ["servo"]}
    [0.000200, "servo", 90, 1472]
    [0.300000, "rx", "X45."]
    [0.304233, "servo", 45, 1008]
    [0.500000, "rx", "X135."]
    [0.505275, "servo", 135, 1936]

    """

  private func board() async throws -> Stage {
    let board = try Stage(options: RecordStage.restarts, records: false)
    try await board.ready()
    try board.bench.write(Self.aims, "aims.jsonl")
    return board
  }

  /// Starts another bench in the board's folder, waits for its end, and ends the board.
  private func run(_ arguments: [String], on board: Stage) async throws -> Bench.Outcome {
    let device = ["--device", "serial:port", "--boot-time", RecordStage.bootTime]
    let split = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let running = try board.bench.start(
      #require(Bench.program), arguments[..<split] + device + arguments[split...])
    try await Stage.wait("the end") { !running.isRunning }
    let outcome = try running.finish(within: 5)
    board.send(SIGTERM)
    _ = try await board.end()
    #expect(!board.bench.names.contains("sender"))
    return outcome
  }

  @Test(arguments: ["aims.jsonl", "bad.jsonl"])
  func `A trace is verified on a board`(_ name: String) async throws {
    let wanted = name == "bad.jsonl" ? "expected servo 136" : "1 trace agrees"
    let outcome = try await RecordPatience.attempt {
      let board = try await self.board()
      try board.bench.write(Self.aims.replacing("135, 1936", with: "136, 1946"), "bad.jsonl")
      return try await run(["verify", "--tolerance", "150ms", name], on: board)
    } until: {
      ($0.output + $0.errors).contains(wanted)
    }
    #expect(outcome.status == (name == "bad.jsonl" ? 1 : 0), "\(outcome.output)\(outcome.errors)")
    #expect((outcome.output + outcome.errors).contains(wanted))
  }

  @Test func `A replay on a board prints its outputs with the computer's times`() async throws {
    let outcome = try await RecordPatience.attempt {
      try await run(["replay", "aims.jsonl"], on: board())
    } until: {
      Self.events($0) == Self.done
    }
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.first.contains(#""clock": "host""#))
    #expect(Self.events(outcome) == Self.done)
  }

  static let done = [
    #", "servo", 90, 1472]"#, #", "rx", "X45."]"#, #", "servo", 45, 1008]"#, #", "rx", "X135."]"#,
    #", "servo", 135, 1936]"#,
  ]

  /// Returns the events without their times.
  private static func events(_ outcome: Bench.Outcome) -> [String] {
    outcome.lines.dropFirst().map { String($0.drop { $0 != "," }) }
  }

  @Test func `A sender that writes at once is judged on a board`() async throws {
    // The command starts only after the bench's own query can have been answered, because the
    // board's output would be delayed until then. A busy computer can delay it further.
    let outcome = try await RecordPatience.attempt {
      try await run(
        [
          "run", "--pty", "sender", "--expect", "aims.jsonl", "--tolerance", "500ms", "--",
          "/bin/sh", "-c", #"printf X45.X135. >"$SENTRY_PORT""#,
        ], on: board())
    } until: {
      $0.status == 0
    }
    #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
    #expect(outcome.errors.contains("aims.jsonl: agrees: 3 events"))
    let received = outcome.lines.first { $0.contains("\"rx\"") } ?? ""
    #expect(try #require(Double(received.dropFirst().prefix { $0 != "," })) >= 0.150)
  }

  @Test func `An output that the board cannot show is refused before the command is started`()
    async throws
  {
    let board = try await board()
    try board.bench.write(Self.aims.replacing("servo\"]", with: "tone\"]"), "tones.jsonl")
    let outcome = try await run(
      ["run", "--pty", "sender", "--expect", "tones.jsonl", "--", "/usr/bin/touch", "started"],
      on: board)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("the trace expects what this device cannot show: tone"))
    #expect(!board.bench.names.contains("started"))
  }

  @Test func `Unplugging during a session ends it with 69, a sentence and a whole trace`()
    async throws
  {
    let (board, outcome) = try await RecordPatience.attempt { () -> (Stage, Bench.Outcome) in
      let board = try await self.board()
      let running = try board.bench.start(
        #require(Bench.program),
        [
          "run", "--device", "serial:port", "--boot-time", RecordStage.bootTime, "--pty", "sender",
          "--record",
          "record.jsonl", "--keep", "--", "/bin/sh", "-c",
          #"printf L >"$SENTRY_PORT"; exec sleep 60"#,
        ])
      try await Stage.wait("a sweep") {
        !running.isRunning
          || ((try? board.bench.read("record.jsonl")) ?? "").split(separator: "\n").count > 10
      }
      board.send(SIGKILL)
      try await Stage.wait("the end") { !running.isRunning }
      return (board, try running.finish(within: 5))
    } until: {
      $0.1.errors.contains("is gone: unplugged")
    }
    #expect(outcome.status == 69)
    #expect(
      outcome.errors.hasSuffix(
        "port: error: is gone: unplugged, or its other end was closed\n"), "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("\"mark\", \"end\"]\n"))
    #expect(try board.bench.read("record.jsonl") == outcome.output)
    #expect(try board.bench.run("replay", "record.jsonl").status == 0)
    _ = try await board.finish()
    #expect(!board.bench.names.contains("sender"))
  }
}
