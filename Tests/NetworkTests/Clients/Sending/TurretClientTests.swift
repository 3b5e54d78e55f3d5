import Aim
import NetworkTestSupport
import Platform
import Synchronization
import TestSupport
import Testing
import TurretLink
import TurretNIO

@testable import Network

/// The client for programs, over real sockets: what it sends, and how it comes back.
@Suite(.ownThread) struct TurretClientTests {
  /// The states that a client shows.
  private final class Shown: Sendable {
    private let statuses = Mutex([TurretLink.Status]())
    var all: [TurretLink.Status] { statuses.withLock { $0 } }
    func add(_ status: TurretLink.Status) { statuses.withLock { $0.append(status) } }

    func waits(until isSo: ([TurretLink.Status]) -> Bool) -> Bool {
      SenderStand.wait { isSo(all) }
    }

    var failures: [String] {
      all.compactMap { if case .disconnected(let why) = $0.connection { why } else { nil } }
    }
  }

  private static func client(
    _ address: String, token: String? = nil, connectTime: Double = 5, _ shown: Shown
  ) throws -> TurretClient {
    var settings = TurretLink.Settings()
    settings.firstPause = 0.01
    settings.longestPause = 0.05
    settings.connectTime = connectTime
    settings.commandsPerSecond = nil
    return try TurretClient(to: address, token: token, settings: settings) { shown.add($0) }
  }

  @Test func `Its commands arrive, over WebSocket and over TCP`() async throws {
    for scheme in ["ws", "tcp"] {
      let server = try ScriptedServer(accepts: true)
      let shown = Shown()
      let client = try Self.client("\(scheme)://127.0.0.1:\(server.port)", shown)
      client.start()
      #expect(shown.waits { $0.last?.connection == .connected })
      client.send(.aim(90))
      client.send(.aim(90))
      client.send(.lost)
      if scheme == "tcp" {
        #expect(SenderStand.wait { server.received == Array("X90.L".utf8) })
      } else {
        // Two frames with their masks: 6 bytes, and the commands.
        #expect(
          SenderStand.wait {
            let bytes = server.received
            let end = bytes.indices.first { bytes[$0...].starts(with: "\r\n\r\n".utf8) }
            return end.map { bytes.count - $0 - 4 } == 6 + 4 + 6 + 1
          })
      }
      await client.stop()
      #expect(shown.all.last?.connection == .ended)
      #expect(shown.failures == [])
    }
  }

  @Test func `A server that closes at once, or is none, is tried again and again`() async throws {
    let closing = try ScriptedServer(accepts: true, closes: true)
    let refusing = try ScriptedServer(Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8), closes: true)
    let other = try ScriptedServer(Array("SSH-2.0-OpenSSH\r\n\r\n".utf8))
    for port in [closing.port, refusing.port, other.port, 1] {
      let shown = Shown()
      let client = try Self.client("ws://127.0.0.1:\(port)", shown)
      client.start()
      client.send(.aim(7))
      #expect(shown.waits { _ in shown.failures.count >= 3 }, "\(shown.all)")
      await client.stop()
    }
  }

  @Test func `A server that never answers is given up, and tried again`() async throws {
    let silent = try ScriptedServer()
    let shown = Shown()
    let client = try Self.client("ws://127.0.0.1:\(silent.port)", connectTime: 0.2, shown)
    client.start()
    #expect(shown.waits { _ in shown.failures.count >= 2 })
    #expect(Set(shown.failures) == ["it did not answer in 200 ms"])
    await client.stop()
  }

  @Test func `A client stopped and started in between sends to the last connection`() async throws {
    let server = try ScriptedServer()
    let shown = Shown()
    let client = try Self.client("tcp://127.0.0.1:\(server.port)", shown)
    for degrees in 0..<20 {
      client.start()
      client.send(.aim(degrees))
      if degrees % 3 == 0 { await client.stop() }
    }
    client.start()
    client.send(.aim(100))
    #expect(
      SenderStand.wait { String(decoding: server.received, as: UTF8.self).hasSuffix("X100.") })
    await client.stop()
    #expect(shown.all.last?.connection == .ended)
  }

  @Test func `A client that is started while it stops does not keep its caller waiting`()
    async throws
  {
    let server = try ScriptedServer(accepts: true)
    let shown = Shown()
    let client = try Self.client("ws://127.0.0.1:\(server.port)", shown)
    for _ in 0..<20 {
      client.start()
      async let stopped: Void = client.stop()
      client.start()
      await stopped
    }
    await client.stop()
    #expect(shown.all.last?.connection == .ended)
  }

  @Test func `Nothing keeps what it shows to after it has been stopped`() async throws {
    let server = try ScriptedServer(accepts: true)
    weak var left: Shown?
    try await {
      let shown = Shown()
      left = shown
      let client = try Self.client("ws://127.0.0.1:\(server.port)", shown)
      client.start()
      #expect(shown.waits { $0.last?.connection == .connected })
      await client.stop()
    }()
    #expect(SenderStand.wait { left == nil })
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:1", nil), ("ws://127.0.0.1", nil), ("ws://127.0.0.1:1", "short"),
      ("tcp://127.0.0.1:1", "a-token-of-more-than-16"),
    ] as [(String, String?)])
  func `An address or a token that is wrong is refused with a sentence`(
    address: String, token: String?
  ) {
    let error = #expect(throws: TurretClient.AddressError.self) {
      try Self.client(address, token: token, Shown())
    }
    #expect(error?.description.hasPrefix("error: ") == false)
  }
}
