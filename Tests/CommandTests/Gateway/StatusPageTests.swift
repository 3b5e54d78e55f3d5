import Foundation
import TestSupport
import Testing

/// The program's `/health` and `/metrics`.
@Suite(.ownThread) struct StatusPageTests {
  @Test func `The figures match the commands that were sent`() async throws {
    // A command of four bytes takes a third of a second, and later ones wait.
    let stage = try await GatewayStage(["--baud", "120"])
    let first = try stage.connect()
    let second = try stage.connect()
    let watcher = try stage.connect("/events")
    first.send("X10.")
    try await stage.recorded("\"X10.\"")
    first.send("X20.X30.LLX40.Z")
    #expect(Self.isError(first.receive(), "not-a-command"))
    second.send("X50.")
    #expect(Self.isError(second.receive(), "not-in-control"))
    #expect(try stage.get("/nothing").status == 404)
    let answer = try stage.get("/metrics")
    #expect(answer.status == 200)
    #expect(answer.headers.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
    #expect(try stage.metric("queue_length") == 2)
    try await stage.metric("commands_sent_total", is: 3)
    let metrics = try stage.metrics()
    for (name, value) in [
      ("messages_received_total", 3.0), ("message_bytes_received_total", 23),
      ("commands_accepted_total{command=\"aim\"}", 5),
      ("commands_accepted_total{command=\"lost\"}", 2),
      ("commands_accepted_total{command=\"tone\"}", 0),
      ("commands_refused_total{reason=\"not-a-command\"}", 1),
      ("commands_refused_total{reason=\"not-in-control\"}", 1),
      ("commands_refused_total{reason=\"queue-full\"}", 0), ("commands_replaced_total", 2),
      ("commands_merged_total", 1), ("queue_length", 0), ("command_delay_seconds_count", 3),
      ("clients{kind=\"websocket\"}", 2), ("clients{kind=\"watcher\"}", 1),
      ("clients{kind=\"tcp\"}", 0), ("controller_present", 1), ("board_present", 1),
      ("requests_refused_total{status=\"404\"}", 1), ("recording_working", 1),
    ] {
      #expect(metrics[name] == value, "\(name)")
    }
    #expect(stage.received == "X10.LX40.")
    #expect(watcher.status == 101)
  }

  @Test func `Health reports the clients, the device and the state of the recording`() async throws
  {
    let stage = try await GatewayStage()
    let peer = try stage.connect()
    let answer = try stage.get("/health")
    #expect(answer.status == 200)
    #expect(answer.headers.contains("Content-Type: application/json"))
    let health = try #require(
      JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    #expect(
      Set(health.keys) == [
        "status", "device", "firmware", "profile", "board", "controller", "clients", "watchers",
        "anonymous", "recording", "detector", "uptime_seconds", "problems",
      ])
    #expect(health["status"] as? String == "ok")
    #expect(health["device"] as? String == "model")
    #expect(health["firmware"] as? String == "guarded")
    #expect(health["board"] as? Bool == true)
    #expect(health["controller"] as? Bool == true)
    #expect(health["clients"] as? Int == 1)
    #expect(health["watchers"] as? Int == 0)
    #expect(health["problems"] as? [String] == [])
    let recording = try #require(health["recording"] as? [String: Any])
    #expect(recording["file"] as? String == "record.jsonl")
    #expect(recording["lost_events"] as? Int == 0)
    peer.sendClose()
    #expect(peer.receive() == .close(1000))
    try await Stage.wait("nobody", within: 10) {
      (try? stage.health())?["controller"] as? Bool == false
    }
  }

  @Test func `Required tokens are required for the status pages too`() async throws {
    let token = "0123456789abcdef0123456789abcdef"
    let bench = try Bench()
    try bench.write(token + "\n", "tokens")
    let stage = try await GatewayStage(["--token-file", "tokens"], records: false, in: bench)
    for path in ["/health", "/metrics"] {
      let refused = try stage.get(path)
      #expect(refused.status == 401)
      #expect(refused.headers.contains("WWW-Authenticate: Bearer"))
      #expect(!refused.body.contains("model"))
      #expect(try stage.get("\(path)?token=\(token)").status == 200)
    }
  }

  private static func isError(_ message: WebSocketPeer.Message, _ code: String) -> Bool {
    if case .text(let text) = message { text.hasPrefix("{\"error\": \"\(code)\"") } else { false }
  }
}
