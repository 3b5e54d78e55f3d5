import Foundation
import TestSupport
import Testing

/// `aim` to a serial port that disappears and returns, or accepts nothing.
@Suite(.ownThread) struct AimPortTests {
  /// Starts an `aim` whose first command a board has received.
  private static func following(
    on terminal: TestTerminal? = nil
  ) async throws -> (PluggedBoard, AimStage) {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let aim = try AimStage(to: "board", on: terminal, in: bench)
    aim.see(0.5)
    try await board.receives("X90.")
    return (board, aim)
  }

  @Test func `A reconnected board gets the newest L and aim, and nothing from before`() async throws
  {
    let bench = try Bench()
    var board = try PluggedBoard(in: bench)
    let aim = try AimStage(to: "board", on: TestTerminal(columns: 200, rows: 10), in: bench)
    aim.see(0.125)
    try await board.receives("X52.")
    board.unplug()
    try await aim.shows("disconnected: is gone: unplugged, or its other end was closed")
    for x in [0.25, nil, 0.375, 0.5] { aim.see(x) }
    try await aim.shows("Shooting X: 90")
    board = try PluggedBoard(in: bench)
    try await board.receives("LX90.")
    aim.see(0.75)
    try await board.receives("LX90.X115.")
    #expect(try await aim.end().status == 0)
    #expect(board.received == "LX90.X115.")
  }

  @Test func `A board that returns is sent the last command again if nothing has changed`()
    async throws
  {
    let bench = try Bench()
    var board = try PluggedBoard(in: bench)
    let aim = try AimStage(to: "board", in: bench)
    aim.see(nil)
    try await board.receives("L")
    board.unplug()
    try await aim.tells("disconnected: is gone")
    board = try PluggedBoard(in: bench)
    try await board.receives("L")
    #expect(try await aim.end().status == 0)
  }

  @Test func `A board that is connected late is waited for`() async throws {
    let bench = try Bench()
    let aim = try AimStage(to: "board", in: bench)
    aim.see(0.25)
    aim.see(0.5)
    try await aim.tells("disconnected: there is no such port")
    let board = try PluggedBoard(in: bench)
    try await board.receives("X90.")
    #expect(try await aim.end().status == 0)
  }

  @Test func `A board that is unplugged at the end misses the last command, which is reported`()
    async throws
  {
    let (board, aim) = try await Self.following()
    board.unplug()
    aim.see(0.25)
    try await aim.tells("disconnected: is gone")
    let outcome = try await aim.end()
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("board: error: the last command, X65., may not have arrived; "))
  }

  @Test func `A board that accepts nothing for a while then gets the newest command`() async throws
  {
    let (board, aim) = try await Self.following(on: TestTerminal(columns: 200, rows: 10))
    board.stall()
    for step in 0...60 { aim.see(0.1 + Double(step) / 100) }
    aim.see(0.75)
    try await aim.shows("X: 115")
    board.goOn()
    try await board.receives("X90.X115.")
    #expect(try await aim.end().status == 0)
    #expect(board.received == "X90.X115.")
  }

  @Test func `A board that accepts nothing at the end delays it for a while and is reported`()
    async throws
  {
    let (board, aim) = try await Self.following()
    board.stall()
    aim.see(0.25)
    aim.see(nil)
    let outcome = try await aim.end()
    #expect(outcome.status == 69)
    #expect(outcome.errors.hasSuffix("board: error: the last command, L, may not have arrived\n"))
  }
}
