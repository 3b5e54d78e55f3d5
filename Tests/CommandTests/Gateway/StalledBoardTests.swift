import Foundation
import TestSupport
import Testing

/// A board that accepts no more bytes.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "memory is looked up in /proc"))
struct StalledBoardTests {
  private static let tones = String(repeating: "TOCT", count: 4)

  /// Returns a stage whose board stalled in the middle of a command, after which an aim and sixteen
  /// tones wait.
  private static func stalled() async throws -> (GatewayStage, PluggedBoard) {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let stage = try await GatewayStage(
      [
        "--device", "serial:board", "--boot-time", "50ms", "--firmware", "buzzer",
        "--on-disconnect", "centre",
      ], in: bench)
    return (stage, board)
  }

  private static func overfill(
    _ stage: GatewayStage, _ board: PluggedBoard, by peer: borrowing WebSocketPeer
  )
    async throws
  {
    peer.send("X30.")
    try await board.receives("X30.")
    board.stall()
    peer.send("X31.")
    try await stage.recorded("\"X31.\"")
    for angle in 0..<30 { peer.send("X\(angle).") }
    peer.send(tones + "CO")
    for letter in ["C", "O"] {
      guard case .text(let text) = peer.receive() else {
        Issue.record("no answer to \(letter)")
        return
      }
      #expect(text.hasPrefix(#"{"error": "queue-full", "bytes": "\#(letter)""#))
    }
  }

  @Test func `Aims are replaced, 16 tones wait, the rest is reported, and the gateway still ends`()
    async throws
  {
    let (stage, board) = try await Self.stalled()
    let peer = try stage.connect()
    try await Self.overfill(stage, board, by: peer)
    let metrics = try stage.metrics()
    #expect(metrics["commands_replaced_total"] == 29)
    #expect(metrics["commands_overflowed_total"] == 2)
    #expect(metrics["queue_length"] == 17)
    #expect(metrics["commands_sent_total"] == 2)

    // Thousands of commands do not affect other clients, and none of them is kept.
    let aims = (0..<1_000).map { "X\($0 % 180)." }.joined()
    for _ in 0..<5 { peer.send(aims) }
    #expect(try stage.get("/health").status == 200)
    let before = try stage.usage()
    for _ in 0..<20 { peer.send(aims) }
    let other = try stage.connect()
    other.send("X1.")
    guard case .text(let text) = other.receive() else {
      Issue.record("the other client is not served")
      return
    }
    #expect(text.contains("not-in-control"))
    try await stage.metric("commands_replaced_total", is: 25_029)
    let after = try stage.usage()
    #expect(after.memory - before.memory < 512 << 10)
    #expect(after.descriptors <= before.descriptors + 2)

    stage.send(SIGTERM)
    guard case .text(let dropped) = peer.receive() else {
      Issue.record("the client was not notified that its commands were dropped")
      return
    }
    #expect(dropped.hasPrefix(#"{"error": "commands-dropped", "count": 16"#))
    #expect(peer.receive() == .close(1001))
    #expect(other.receive() == .close(1001))
    let outcome = try await stage.finish()
    #expect(outcome.status == 143)
    // The waiting aim is that of --on-disconnect.
    #expect(outcome.errors.contains("commands waiting: 17, bytes in transit: 4"))
    // The aim of --on-disconnect has replaced the client's.
    let unsent =
      "2 refused as the queue was full, 25030 replaced by a newer aim, 17 dropped at the end"
    #expect(outcome.errors.contains(unsent))
    #expect(board.received == "X30.")
    #expect(stage.recording.hasSuffix("\"mark\", \"end\"]\n"))
  }

  @Test func `A board that accepts bytes again gets everything that waited`() async throws {
    let (stage, board) = try await Self.stalled()
    let peer = try stage.connect()
    try await Self.overfill(stage, board, by: peer)
    board.goOn()
    let all = "X30.X31.X29.\(Self.tones)"
    try await board.receives(all)
    #expect(try await stage.terminate().status == 143)
    try await board.receives(all + "X90.")
  }

  @Test func `Unplugging a stalled board is reported to the client with pending commands`()
    async throws
  {
    let (stage, board) = try await Self.stalled()
    let peer = try stage.connect()
    try await Self.overfill(stage, board, by: peer)
    board.unplug()
    guard case .text(let text) = peer.receive() else {
      Issue.record("the client was not notified")
      return
    }
    #expect(text.contains("no-board"))
    #expect(try stage.metric("commands_dropped_total{reason=\"no-board\"}") == 17)
  }

  @Test func `In raw mode only the sender to a stalled board is held`() async throws {
    let bench = try Bench()
    let board = try PluggedBoard(in: bench)
    let stage = try await GatewayStage(
      [
        "--device", "serial:board", "--boot-time", "50ms", "--firmware", "classic", "--raw",
        "--baud", "2000000",
      ], tcp: true, in: bench)
    let before = try stage.usage()
    let socket = try PlainSocket(port: stage.tcpPort)
    let part = [UInt8](repeating: UInt8(ascii: "A"), count: 65_536)
    var taken = 0
    var idle = 0
    while idle < 20, taken < 64 << 20 {
      let count = socket.offer(part)
      taken += count
      idle = count == 0 ? idle + 1 : 0
      if count == 0 { try await Task.sleep(for: .milliseconds(10)) }
    }
    // The accepted bytes are in the system's buffers.
    #expect(taken < 64 << 20)
    let growth = try stage.usage().memory - before.memory
    // The allocator keeps some memory, and more on a busy machine.
    #expect(growth < 8 << 20)
    let watcher = try stage.connect("/events")
    #expect(try stage.get("/health").status == 200)
    stage.send(SIGTERM)
    #expect(try await stage.finish().status == 143)
    #expect(!board.received.isEmpty)
    _ = watcher.status
  }
}
