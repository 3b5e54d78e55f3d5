import TestSupport
import Testing

/// Many connections, one after another, leave nothing behind. `Tests/program/test_gateway.py` makes ten
/// times as many.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is open is looked up in /proc"))
struct ManyConnectionsTests {
  /// The course of a connection.
  private enum Kind: CaseIterable {
    case plain, health, webSocket, webSocketReset, reset
  }

  private func connect(_ kind: Kind, _ stage: GatewayStage) throws {
    switch kind {
    case .plain: _ = try PlainSocket(port: stage.tcpPort)
    case .health:
      let socket = try PlainSocket(port: stage.port)
      socket.write("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
      socket.readToEnd()
    case .webSocket:
      let peer = try stage.connect()
      peer.sendClose()
      peer.socket.readToEnd()
    case .webSocketReset:
      let peer = try stage.connect()
      peer.socket.endWithReset()
    case .reset:
      let socket = try PlainSocket(port: stage.port)
      socket.endWithReset()
    }
  }

  @Test func `A thousand connections leak neither descriptors nor memory`() async throws {
    let stage = try await GatewayStage(records: false, tcp: true)
    func come(_ count: Int) throws {
      for number in 0..<count {
        try connect(Kind.allCases[number % Kind.allCases.count], stage)
      }
    }
    try come(300)
    // Longer than an ended connection is kept.
    try await Task.sleep(for: .milliseconds(1_500))
    let before = try stage.usage()
    try come(1_000)
    try await Stage.wait("\(before.descriptors) descriptors, as before", within: 20) {
      (try? stage.usage().descriptors) == before.descriptors
    }
    #expect(try stage.usage().memory - before.memory < 512 << 10)
    let metrics = try stage.metrics()
    #expect(metrics["client_connections_total{kind=\"websocket\"}"] == 520)
    #expect(metrics["client_connections_total{kind=\"tcp\"}"] == 260)
  }
}
