import Foundation
import Platform
import TestSupport
import Testing

/// How a session ends, and what the turret does when the client in control has left.
@Suite(.ownThread) struct LeavingTests {
  @Test(arguments: [("hold", ""), ("scan", "L"), ("centre", "X90.")])
  func `SIGTERM sends pending commands, leaves the turret as configured, and closes with 1001`(
    _ action: String, _ last: String
  ) async throws {
    let stage = try await GatewayStage(["--on-disconnect", action])
    let peer = try stage.connect()
    let watcher = try stage.connect("/events")
    // More than the line has carried when the signal arrives: a byte takes a millisecond.
    peer.send("X45.LOC")
    try await stage.recorded("\"X45.\"")
    let outcome = try await stage.terminate()
    #expect(outcome.status == 143, "\(outcome.errors)")
    #expect(stage.received == "X45.LOC" + last)
    #expect(peer.receive() == .close(1001))
    var messages: [WebSocketPeer.Message] = []
    repeat { messages.append(watcher.receive()) } while messages.last.map(Self.isText) == true
    #expect(messages.last == .close(1001))
    // The board's outputs at that very moment can follow.
    #expect(stage.recording.suffix(80).contains("\"mark\", \"end\"]\n"))
    #expect(try stage.bench.run("verify", "record.jsonl").status == 0)
  }

  @Test func `SIGTERM sends the commands that still wait first, even from a full queue`()
    async throws
  {
    // Slow enough that everything still waits when the signal arrives: 33 bytes take more than half
    // a second.
    let stage = try await GatewayStage(["--on-disconnect", "scan", "--baud", "600"])
    let peer = try stage.connect()
    peer.send("X45.")
    try await stage.recorded("\"X45.\"")
    let tones = String(repeating: "TOCT", count: 4)
    peer.send("\(tones)X60.")
    try await stage.metric("commands_accepted_total{command=\"tone\"}", is: 16)
    #expect(try stage.metric("queue_length") ?? 0 > 8)
    let outcome = try await stage.terminate()
    #expect(outcome.status == 143)
    #expect(stage.received == "X45.\(tones)X60.L")
    #expect(peer.receive() == .close(1001))
    #expect(!outcome.errors.contains("did not take everything"))
    #expect(try stage.bench.run("verify", "record.jsonl").status == 0)
  }

  private static func isText(_ message: WebSocketPeer.Message) -> Bool {
    if case .text = message { true } else { false }
  }

  @Test(arguments: ["a close", "an end without one", "bare TCP's end"])
  func `The turret scans when the client in control leaves`(_ how: String) async throws {
    let stage = try await GatewayStage(["--on-disconnect", "scan"], tcp: true)
    if how == "bare TCP's end" {
      let socket = try PlainSocket(port: stage.tcpPort)
      socket.write("X45.".utf8)
      try await stage.recorded("\"X45.\"")
    } else {
      let peer = try stage.connect()
      peer.send("X45.")
      try await stage.recorded("\"X45.\"")
      if how == "a close" {
        peer.sendClose()
        #expect(peer.receive() == .close(1000))
      }
    }
    try await stage.recorded("\"rx\", \"L\"")
    #expect(stage.isRunning)
  }

  @Test func `A client that answers no ping for two seconds has left too`() async throws {
    let stage = try await GatewayStage(["--on-disconnect", "scan"])
    let dead = try stage.connect()
    dead.send("X45.")
    try await stage.recorded("\"X45.\"")
    try await stage.recorded("\"rx\", \"L\"")
    var pings = 0
    while case .ping = dead.receiveAny() { pings += 1 }
    #expect(pings > 1)
    #expect(stage.errors.contains("did not answer a ping"), "\(stage.errors)")
  }

  @Test func `A client that only watches can leave without any effect`() async throws {
    let stage = try await GatewayStage(["--on-disconnect", "scan"], records: true)
    let peer = try stage.connect()
    do {
      let watcher = try stage.connect("/events")
      let second = try stage.connect()
      watcher.sendClose()
      second.sendClose()
      #expect(second.receive() == .close(1000))
    }
    peer.send("X45.")
    try await stage.recorded("\"servo\", 45")
    #expect(stage.received == "X45.")
  }
}
