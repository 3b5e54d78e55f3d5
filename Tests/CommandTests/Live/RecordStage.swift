import Foundation
import Platform
import TestSupport
import Testing

/// A running `record` between a sender and a board, which is a second bench. The board's port is
/// `port`, the sender's is `sender`, and the recording is `record.jsonl`.
final class RecordStage {
  /// The options of a board that restarts when its port is opened, as an Uno does.
  static let restarts = ["--reset-on-open", "--boot-time", "200ms", "-q"]

  /// Much longer than that board needs: a busy computer notices late that its port was opened.
  static let bootTime = "700ms"

  let bench: Bench
  private(set) var board: Stage
  private let firmware: String
  private let running: Bench.Running

  /// Starts the board and, once that is ready, the recorder. `options` are the recorder's.
  init(
    _ firmware: String = "guarded",
    options: [String] = ["--boot-time", bootTime, "-o", "record.jsonl"], command: [String] = []
  ) async throws {
    let board = try Stage(firmware, options: Self.restarts, records: false)
    try await board.ready()
    self.board = board
    self.firmware = firmware
    bench = board.bench
    let program = try #require(Bench.program)
    var arguments = ["record", "--port", board.port, "--firmware", firmware]
    arguments += ["--pty", bench.path("sender")] + options
    if !command.isEmpty { arguments += ["--"] + command }
    running = try bench.start(program, arguments)
  }

  var recording: String { (try? bench.read("record.jsonl")) ?? "" }

  /// Waits until the recording has this many lines that contain a text.
  func recorded(_ text: String, times: Int = 1) async throws {
    func isRecorded() -> Bool {
      recording.split(separator: "\n").count { $0.contains(text) } >= times
    }
    try await Stage.wait("\(times) of \(text)") { isRecorded() || !running.isRunning }
    if !isRecorded() { throw Stage.TookTooLong(what: "\(text): it has ended") }
  }

  /// Writes as the sender.
  func write(_ text: String) throws {
    let file = try #require(FileHandle(forWritingAtPath: bench.path("sender")))
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  /// Sends a signal to the recorder.
  func send(_ number: Int32) { #expect(kill(running.identifier, number) == 0) }

  /// Ends the board, as if it lost its power.
  func unplugBoard() async throws {
    board.send(SIGKILL)
    #expect(try await board.finish().status == 137)
  }

  /// Starts the board again, under the same path.
  func plugBoard() async throws {
    board = try Stage(firmware, options: Self.restarts, records: false, in: bench)
    try await board.ready()
  }

  /// Waits until the recorder ends, and ends the board.
  func end() async throws -> Bench.Outcome {
    try await Stage.wait("the recorder's end") { !self.running.isRunning }
    let outcome = try running.finish(within: 5)
    if outcome.status != 137 {
      #expect(!bench.names.contains("sender"), "the link was left behind")
    }
    if board.hasPort {
      board.send(SIGTERM)
      _ = try await board.end()
    }
    return outcome
  }

  deinit { if running.isRunning { kill(running.identifier, SIGKILL) } }
}
