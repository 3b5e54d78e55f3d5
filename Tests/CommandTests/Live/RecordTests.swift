import Foundation
import Platform
import TestSupport
import Testing

/// `record`, with a second bench as the board.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is left behind is looked up in /proc"))
struct RecordTests {
  /// Aims, sends a query, sweeps and aims again. Stores the replies in `answer` and `rest`.
  static let conversation = """
    exec 3<>"$SENTRY_PORT"
    printf 'X45.?' >&3; IFS= read -r -t 20 line <&3; printf '%s' "$line" >answer
    printf X10. >&3; sleep 0.2; printf L >&3; sleep 0.4
    timeout 0.2 cat <&3 >rest; exit 5
    """

  @Test func `The bytes between a sender and guarded are recorded in both directions`() async throws
  {
    let (stage, outcome, verified) = try await RecordPatience.attempt {
      let stage = try await RecordStage(command: ["/bin/bash", "-c", Self.conversation])
      let outcome = try await stage.end()
      return (stage, outcome, try stage.bench.run("verify", "--tolerance", "150ms", "record.jsonl"))
    } until: {
      $0.1.status == 5 && $0.2.status == 0
    }
    // The command's own status.
    #expect(outcome.status == 5, "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    // The sender receives the answer to its own query, and none of the answers to the bench's.
    let answer = try stage.bench.read("answer")
    #expect(answer.hasPrefix("045 hold ok=00001 no=00000 lost=00000"), "\(answer)")
    #expect(try stage.bench.read("rest").isEmpty)

    let lines = stage.recording.split(separator: "\n")
    #expect(lines[0].contains(#""clock": "host""#) && !lines[0].contains(#""start""#))
    #expect(Self.bytes("rx", lines) == "X45.?X10.L")
    #expect(Self.bytes("tx", lines) == answer + "\n")
    #expect(lines.contains { $0.contains(#""servo", 45, 1008"#) })
    #expect(lines.count { $0.contains(#""servo""#) } > 10)
    #expect(lines.suffix(5).contains { $0.hasSuffix(#""mark", "end"]"#) })
    // The computer may be busy, so only the values and their order matter.
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test(arguments: ["classic", "buzzer"])
  func `Only bytes are recorded of a board with another sketch`(_ firmware: String) async throws {
    let stage = try await RecordStage(
      firmware, options: ["--boot-time", RecordStage.bootTime],
      command: ["/bin/sh", "-c", #"printf X45.LX10. >"$SENTRY_PORT""#])
    let outcome = try await stage.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.lines
    #expect(lines[0].contains("\"firmware\": \"\(firmware)\""))
    #expect(Self.bytes("rx", lines) == "X45.LX10.")
    #expect(lines.dropFirst().allSatisfy { $0.contains("\"rx\"") || $0.contains("\"mark\"") })
    try stage.bench.write(outcome.output, "bytes.jsonl")
    let verified = try stage.bench.run("verify", "bytes.jsonl")
    #expect(verified.status == 1)
    #expect(
      verified.output.contains("nothing to compare")
        || verified.errors.contains("nothing to compare"))
  }

  @Test func `Unplugging a board is reported and recorded, and the recording continues`()
    async throws
  {
    let (stage, outcome) = try await RecordPatience.attempt {
      let stage = try await RecordStage()
      try await stage.recorded(#""servo", 90"#)
      try stage.write("X45.")
      try await stage.recorded(#""servo", 45"#)
      try await stage.unplugBoard()
      try await stage.recorded("unplugged")
      try stage.write("X46.")
      try await stage.recorded(#""x-unsent", "X46.""#)
      try await stage.plugBoard()
      try await stage.recorded(#""reset", 0.7]"#)
      try await stage.recorded(#""servo", 90"#, times: 2)
      try stage.write("X47.")
      try await stage.recorded(#""servo", 47"#)
      stage.send(SIGINT)
      return (stage, try await stage.end())
    } until: {
      Self.kinds($0.0.recording) == Self.unplugged
    }
    #expect(outcome.status == 130)
    #expect(outcome.errors.contains("port: error: is gone: unplugged"), "\(outcome.errors)")
    #expect(outcome.errors.contains("Recording resumes when the board is back."))
    #expect(outcome.errors.contains("The board is back."))

    #expect(
      Self.kinds(stage.recording) == Self.unplugged, "\(outcome.errors)\(stage.recording)")
    for command in ["explain", "replay", "verify --tolerance 150ms"] {
      let words = command.split(separator: " ").map(String.init) + ["record.jsonl"]
      let result = try stage.bench.start(#require(Bench.program), words).finish()
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
  }

  static let unplugged = [
    "servo", "rx", "servo", "mark", "x-unsent", "reset", "servo", "rx", "servo", "mark",
  ]

  private static func kinds(_ trace: String) -> [String] {
    trace.split(separator: "\n").dropFirst().map { String($0.split(separator: "\"")[1]) }
  }

  @Test func `A record command that is killed leaves whole lines`() async throws {
    let (stage, outcome) = try await RecordPatience.attempt {
      let stage = try await RecordStage()
      try await stage.recorded(#""servo", 90"#)
      try stage.write("L")
      try await stage.recorded(#""servo""#, times: 10)
      stage.send(SIGKILL)
      return (stage, try await stage.end())
    } until: {
      $0.1.status == 137
    }
    #expect(outcome.status == 137, "\(outcome.errors)")
    #expect(stage.recording.hasSuffix("]\n"))
    #expect(try stage.bench.run("replay", "record.jsonl").status == 0)
  }

  @Test func `A board that never answers as guarded ends the session with a sentence`() async throws
  {
    let board = try Stage("classic", options: ["-q"], records: false)
    try await board.ready()
    let bench = board.bench
    let outcome = try bench.run(
      "record", "--port", board.port, "--pty", "sender", "-o", "record.jsonl")
    #expect(outcome.status == 69)
    #expect(
      outcome.errors.contains("port: error: the board does not answer as guarded does"),
      "\(outcome.errors)")
    #expect(!outcome.errors.contains("Recording resumes"))
    board.send(SIGTERM)
    _ = try await board.end()
  }

  static let refused: [(port: String, pty: String, message: String)] = [
    ("missing", "sender", "missing: error: there is no such port"),
    // Its own link must not be taken for the board.
    ("missing", "missing", "missing: error: there is no such port"),
    ("file", "sender", "file: error: is neither a serial port nor a terminal"),
    (".", "sender", ".: error: is neither a serial port nor a terminal"),
    ("/dev/null", "sender", "/dev/null: error: is neither a serial port nor a terminal"),
  ]

  @Test(arguments: refused.indices)
  func `Without a board the status is 69, and the old recording stays`(_ index: Int) throws {
    let (port, pty, message) = Self.refused[index]
    let bench = try Bench()
    try bench.write("old\n", "file")
    let outcome = try bench.run(
      "record", "--port", port, "--pty", pty, "-o", port == "missing" ? "file" : "record.jsonl",
      "--", "/usr/bin/touch", "started")
    #expect(outcome.status == 69)
    #expect(outcome.errors.hasPrefix(message), "\(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(try bench.read("file") == "old\n")
    #expect(!bench.names.contains(pty) && !bench.names.contains("started"))
  }

  @Test func `The board's own port cannot be the sender's`() async throws {
    let board = try Stage(options: ["-q"], records: false)
    try await board.ready()
    let outcome = try board.bench.run("record", "--port", board.port, "--pty", board.port)
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("another bench is running there, process \(board.identifier)"))
    #expect(outcome.errors.contains("--pty"))
    #expect(board.hasPort)
    board.send(SIGTERM)
    _ = try await board.end()
  }

  /// Returns the bytes of all events of a kind, joined.
  private static func bytes(_ kind: String, _ lines: [Substring]) -> String {
    lines.dropFirst().compactMap { line in
      let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any]
      return event?[1] as? String == kind ? event?[2] as? String : nil
    }.joined()
  }
}
