import TestSupport
import Testing

/// Connections one after another, which leave nothing behind. `.ci/gateway/connections` has ten times as
/// many.
@Suite(.ownThread, .enabled(if: Tool.isLinux, "what is open is looked up in /proc"))
struct ManyConnectionsTests {
  /// How a connection goes.
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

  @Test func `A thousand connections leave no descriptor and no memory behind`() async throws {
    let stage = try await GatewayStage(records: false, tcp: true)
    let idle = try stage.usage().descriptors
    func come(_ count: Int) async throws -> Int {
      for number in 0..<count {
        try connect(Kind.allCases[number % Kind.allCases.count], stage)
      }
      try await Stage.wait("\(idle) descriptors, as before", within: 20) {
        (try? stage.usage().descriptors) == idle
      }
      return try stage.usage().memory
    }
    let before = try await come(300)
    #expect(try await come(1_000) - before < 512 << 10)
    let metrics = try stage.metrics()
    #expect(metrics["client_connections_total{kind=\"websocket\"}"] == 520)
    #expect(metrics["client_connections_total{kind=\"tcp\"}"] == 260)
  }
}
