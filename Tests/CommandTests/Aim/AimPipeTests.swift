import Foundation
import TestSupport
import Testing

/// `aim` and a detector that stalls, is cut off, or goes wrong while the turret follows it.
@Suite(.ownThread) struct AimPipeTests {
  /// Starts an `aim` that has seen a face in the middle, with a board.
  private static func following() async throws -> (PluggedBoard, AimStage) {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let aim = try AimStage(to: "board", in: bench)
    aim.see(0.5)
    try await board.receives("X90.")
    return (board, aim)
  }

  @Test func `A pipe that stalls within a line leaves the turret where it is, then continues`()
    async throws
  {
    let (board, aim) = try await Self.following()
    let line = Seen.frame("1", Seen.face(0.25))
    aim.feed(String(line.prefix(40)))
    // Longer than the period at which the port is checked.
    try await Task.sleep(for: .milliseconds(600))
    #expect(board.received == "X90.")
    #expect(aim.isRunning)
    aim.feed(line.dropFirst(40) + "\n")
    try await board.receives("X90.X65.")
    #expect(try await aim.end().status == 0)
    #expect(board.received == "X90.X65.")
  }

  @Test func `A last line without a line end counts if it is whole`() async throws {
    let (board, aim) = try await Self.following()
    aim.feed(Seen.frame("1", Seen.face(0.25)))
    #expect(try await aim.end().status == 0)
    #expect(board.received == "X90.X65.")
  }

  @Test func `A FIFO that its writer has already closed is read to its end`() throws {
    let bench = try Bench()
    let terminal = try TestTerminal(columns: 80, rows: 10)
    let path = try terminal.name
    for round in 0..<10 {
      // In some rounds, the pipe contains more than the first read returns.
      let frames = (0..<(round * 100)).map { Seen.frame("\($0)", Seen.face(0.5)) }
      try bench.write(Seen.file(frames), "frames.jsonl")
      let outcome = try bench.script(
        "mkfifo fifo\(round); cat frames.jsonl >fifo\(round) & "
          + "timeout 20 \"$BENCH\" aim fifo\(round) --to \(path)")
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(String(decoding: terminal.read(), as: UTF8.self) == (round == 0 ? "" : "X90."))
    }
  }

  @Test func `A thousand faces are one target`() async throws {
    let (board, aim) = try await Self.following()
    let faces = (0..<1_000).map { Seen.face(0.25, 0.125 - Double($0) / 10_000) }
    aim.feed(#"{"t": 1, "found": [\#(faces.joined(separator: ", "))]}"# + "\n")
    try await board.receives("X90.X65.")
    aim.see(nil)
    try await board.receives("X90.X65.L")
    #expect(try await aim.end().status == 0)
  }

  /// The lines after two good frames, and their error messages.
  private static let faults: [(line: String, error: String)] = [
    (Seen.frame("4.999", Seen.face(0.75)), "4:7: error: expected a time that is not before"),
    (
      #"{"t": 6, "found": [{"kind": "face", "box": [NaN, 0, 1, 1], "confidence": 1}]}"#,
      "4:45: error: expected a box's x, a number, found 'N'; JSON has no NaN"
    ),
    (
      #"{"t": 6, "found": [{"kind": "face", "box": [0.5, 0, 1e999, 1], "confidence": 1}]}"#,
      "4:53: error: expected a box's width, a number that is finite"
    ),
    ("Traceback (most recent call last):", "4:1: error: expected a frame"),
    ("", "4:1: error: expected a frame"),
  ]

  @Test(arguments: faults.indices)
  func `A fault is reported with its place, and only earlier commands are sent`(
    _ index: Int
  ) async throws {
    let fault = Self.faults[index]
    let (board, aim) = try await Self.following()
    aim.feed(
      [Seen.frame("5", Seen.face(0.25)), fault.line, Seen.frame("7", Seen.face(0.875))]
        .map { $0 + "\n" }.joined())
    let outcome = try await aim.finish()
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("\nseen:\(fault.error)"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("may not have arrived"))
    #expect(board.received == "X90.X65.")
  }

  @Test func `A line that is cut off is reported with its place`() async throws {
    let (board, aim) = try await Self.following()
    aim.feed(String(Seen.frame("1", Seen.face(0.25)).prefix(30)))
    let outcome = try await aim.end()
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("seen:3:31: error: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("the file ends in the middle of a line"))
    #expect(board.received == "X90.")
  }

  @Test func `A fault and a lost command are both reported`() async throws {
    let (board, aim) = try await Self.following()
    board.unplug()
    try await aim.tells("disconnected")
    aim.see(0.25)
    aim.feed("{}\n")
    let outcome = try await aim.finish()
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("board: error: the last command, X65., may not have arrived; "))
    #expect(outcome.errors.contains("seen:4:2: error: "))
  }

  @Test func `A broken pipe ends a live trace quietly at the next command`() async throws {
    let aim = try AimStage(
      to: "-", shell: #""$0" "$@" | head -n 1; exit ${PIPESTATUS[0]}"#, in: Bench())
    try await Stage.wait("the end", within: 20) {
      aim.see(0.25)
      aim.see(0.75)
      return !aim.isRunning
    }
    let outcome = try await aim.finish()
    #expect(outcome.status == 141)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.output == Seen.trace())
  }

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "a full disk to write to"))
  func `A trace that cannot be written ends the session at once, even with more to see`()
    async throws
  {
    let aim = try AimStage(to: "-", shell: #"exec "$0" "$@" >/dev/full"#, in: Bench())
    let outcome = try await aim.finish()
    #expect(outcome.status == 74)
    #expect(outcome.errors.hasPrefix("standard output: error: cannot be written: "))
    #expect(outcome.errors.split(separator: "\n").count == 1)
  }
}
