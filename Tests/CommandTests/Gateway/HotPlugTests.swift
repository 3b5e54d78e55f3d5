import Foundation
import Platform
import TestSupport
import Testing

/// A board that is unplugged and reconnected while the gateway runs.
@Suite(.ownThread) struct HotPlugTests {
  @Test func `A sender is told that the board is away, and its last command is sent on return`()
    async throws
  {
    let bench = try Bench()
    let stage = try await GatewayStage(
      ["--device", "serial:board", "--boot-time", "50ms", "--firmware", "classic"], in: bench)
    var health = try await stage.health(is: 503)
    #expect(Self.problem(health).contains("board: error: there is no such port"))
    let peer = try stage.connect()
    peer.send("X10.LX20.")
    #expect(Self.error(peer.receive()) == "no-board")

    var board = try PluggedBoard(in: bench)
    try await stage.health(is: 200)
    try await board.receives("X20.")
    peer.send("X30.")
    try await board.receives("X20.X30.")

    board.unplug()
    health = try await stage.health(is: 503)
    #expect(Self.problem(health).contains("board: error: is gone"))
    #expect(health["board"] as? Bool == false)
    peer.send("L")
    #expect(Self.error(peer.receive()) == "no-board")
    peer.send("X40.")

    board = try PluggedBoard(in: bench)
    try await stage.health(is: 200)
    try await board.receives("X40.")
    let metrics = try stage.metrics()
    // Each accepted command reached the board or was counted as refused; in addition, the two that
    // were sent again on the board's return reached it.
    #expect(metrics["commands_accepted_total{command=\"aim\"}"] == 4)
    #expect(metrics["commands_accepted_total{command=\"lost\"}"] == 2)
    #expect(metrics["commands_refused_total{reason=\"no-board\"}"] == 5)
    #expect(metrics["commands_sent_total"] == 3)
    #expect(metrics["board_reconnects_total"] == 2)

    let outcome = try await stage.terminate()
    #expect(outcome.status == 143)
    #expect(peer.receive() == .close(1001))
    #expect(outcome.errors.split(separator: "The board is back.").count == 3)
    #expect(stage.received == "X20.X30.X40.")
    #expect(stage.recording.split(separator: "\"unplugged\"").count == 3)
    #expect(stage.recording.split(separator: "\"reset\"").count == 3)
    let explained = try bench.run("explain", "record.jsonl")
    #expect(explained.status == 0, "\(explained.errors)")
  }

  @Test func `A recording of a board that was connected, removed and reconnected verifies`()
    async throws
  {
    let (stage, outcome) = try await RecordPatience.attempt {
      () -> (GatewayStage, Bench.Outcome) in
      let bench = try Bench()
      let stage = try await GatewayStage(
        ["--device", "serial:port", "--boot-time", RecordStage.bootTime], in: bench)
      let peer = try stage.connect()
      for angle in [45, 60] {
        let board = try Stage(
          "guarded", options: RecordStage.restarts, records: false, in: bench)
        try await board.ready()
        try await stage.health(is: 200)
        peer.send("X\(angle).")
        try await stage.recorded("\"servo\", \(angle)")
        if angle == 60 {
          let outcome = try await stage.terminate()
          board.send(SIGTERM)
          _ = try await board.end()
          return (stage, outcome)
        }
        board.send(SIGKILL)
        _ = try await board.finish()
        try await stage.health(is: 503)
      }
      throw Stage.TookTooLong(what: "no second board")
    } until: {
      try $0.1.status == 143 && $0.0.bench.run("verify", "record.jsonl").status == 0
    }
    #expect(outcome.status == 143)
    let verdict = try stage.bench.run("verify", "record.jsonl")
    #expect(verdict.status == 0, "\(verdict.output)\(verdict.errors)")
    #expect(stage.recording.split(separator: "\"reset\"").count == 3)
  }

  private static func problem(_ health: [String: Any]) -> String {
    ((health["problems"] as? [String]) ?? []).joined()
  }

  private static func error(_ message: WebSocketPeer.Message) -> String? {
    guard case .text(let text) = message,
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    else { return nil }
    return object["error"] as? String
  }
}
