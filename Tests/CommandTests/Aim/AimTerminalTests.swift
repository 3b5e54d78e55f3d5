import Foundation
import Platform
import TestSupport
import Testing

/// What `aim` shows on a terminal.
@Suite(.ownThread) struct AimTerminalTests {
  /// Starts an `aim` on a terminal that has a board and has seen a face in the middle.
  private static func watched(
    columns: Int = 80, _ options: [String] = [], environment: [String: String] = [:]
  ) async throws -> (PluggedBoard, AimStage, TestTerminal) {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let terminal = try TestTerminal(columns: columns, rows: 10)
    let aim = try AimStage(
      to: "board", options, on: terminal, environment: environment, in: bench)
    aim.see(0.5)
    try await board.receives("X90.")
    return (board, aim, terminal)
  }

  @Test func `One line shows the connection and the app's text, and is ended`() async throws {
    let (board, aim, _) = try await Self.watched()
    try await aim.shows("connected | Shooting X: 90 | Y: 90")
    aim.see(nil)
    try await aim.shows("connected | Sentry mode, no targets")
    aim.see(0.25)
    try await aim.shows("connected | Shooting X: 65 | Y: 90")
    try await board.receives("X90.LX65.")
    let outcome = try await aim.end()
    #expect(outcome == Bench.Outcome(status: 0, output: "", errors: ""))
    #expect(aim.statuses.first == "connecting")
    #expect(aim.screen.hasSuffix("connected | Shooting X: 65 | Y: 90\r\n"))
    #expect(aim.screen.split(separator: "\r\n").count == 1)
  }

  /// The width of the terminal, and what it shows with and without a board.
  private static let widths = [
    (1, ".", "."), (2, "..", ".."), (20, "connected | Shoot...", "disconnected... |..."),
    (34, "connected | Shooting X: 90 | Y: 90", "disconnected... | Shooting X: 9..."),
    (40, "connected | Shooting X: 90 | Y: 90", "disconnected... | Shooting X: 90 | Y: 90"),
    (
      53, "connected | Shooting X: 90 | Y: 90",
      "disconnected: is gone: un... | Shooting X: 90 | Y: 90"
    ),
    (
      200, "connected | Shooting X: 90 | Y: 90",
      "disconnected: is gone: unplugged, or its other end was closed | Shooting X: 90 | Y: 90"
    ),
  ]

  @Test(arguments: widths)
  func `The line fits the terminal, and shortens the connection's fault before the aim`(
    _ columns: Int, _ connected: String, _ disconnected: String
  ) async throws {
    let (board, aim, _) = try await Self.watched(columns: columns)
    try await aim.shows(connected)
    board.unplug()
    try await aim.shows(disconnected)
    aim.send(SIGINT)
    #expect(try await aim.finish().status == 130)
    #expect(aim.statuses.contains(connected) && aim.statuses.contains(disconnected))
    #expect(aim.statuses.allSatisfy { $0.count <= columns })
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `A signal ends aim and its line, and a command that waits for --rate is not sent`(
    _ number: Int32, _ status: Int32
  ) async throws {
    let (board, aim, _) = try await Self.watched(["--rate", "0.01"])
    aim.see(0.25)
    try await aim.shows("connected | Shooting X: 65 | Y: 90")
    aim.send(number)
    let outcome = try await aim.finish()
    #expect(outcome == Bench.Outcome(status: status, output: "", errors: ""))
    #expect(aim.screen.hasSuffix("connected | Shooting X: 65 | Y: 90\r\n"))
    #expect(board.received == "X90.")
  }

  @Test func `An error is printed on its own line`() async throws {
    let (board, aim, _) = try await Self.watched()
    try await aim.shows("connected | Shooting")
    aim.feed("{}\n")
    #expect(try await aim.finish().status == 65)
    let lines = aim.screen.components(separatedBy: "\r\n")
    #expect(lines.count == 3 && lines[1].hasPrefix("seen:3:2: error: "), "\(lines)")
    #expect(board.received == "X90.")
  }

  @Test(arguments: [SIGTERM, nil])
  func `A suspended terminal delays neither the commands nor the end`(
    _ signal: Int32?
  ) async throws {
    let (board, aim, terminal) = try await Self.watched()
    try await aim.shows("connected | Shooting X: 90")
    #expect(tcflow(terminal.program, TCOOFF) == 0)
    aim.see(0.25)
    aim.see(nil)
    aim.see(0.75)
    try await Stage.wait("the last command") { board.received.hasSuffix("X115.") }
    if let signal { aim.send(signal) } else { aim.endInput() }
    #expect(try await aim.finish().status == (signal.map { 128 + $0 } ?? 0))
    #expect(!aim.screen.contains("X: 115"))
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]])
  func `Without a moving display each change of the connection is a line`(
    _ environment: [String: String]
  ) async throws {
    let (board, aim, _) = try await Self.watched(environment: environment)
    aim.see(nil)
    try await board.receives("X90.L")
    #expect(try await aim.end().status == 0)
    #expect(aim.screen == (Self.lines + Self.sum).replacing("\n", with: "\r\n"))
    #expect(board.received == "X90.L")
  }

  private static let lines = "sentrybench: board: connecting\nsentrybench: board: connected\n"
  private static let sum = "sentrybench: frames: 2, with a target: 1, commands: 2\n"

  @Test(arguments: [SIGINT, SIGTERM])
  func `A pipe gets only the connection, without control sequences`(_ number: Int32) async throws {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let aim = try AimStage(to: "board", in: bench)
    aim.see(0.5)
    aim.see(nil)
    try await Stage.wait("the last command") { board.received.hasSuffix("L") }
    aim.send(number)
    let outcome = try await aim.finish()
    #expect(outcome == Bench.Outcome(status: 128 + number, output: "", errors: Self.lines))
  }
}
