import Logging
import NIOCore
import NIOPosix
import NetworkTestSupport
import Sketches
import TestSupport
import Testing

@testable import Network

@Suite(.ownThread, .serialized)
struct GatewayServerTests {
  // MARK: Listening

  @Test(arguments: [("127.0.0.1:0", "127.0.0.1"), ("[::1]:0", "::1")])
  func `The server reports the address that it is bound to`(_ text: String, _ host: String) throws {
    let server = try TestServer { configuration, _ in
      configuration.webSocket = [Endpoint(text)!]
    }
    #expect(server.address.host == host)
    #expect(server.address.port > 0)
    #expect(try Wire.webSocket(server.address).closingAfter(ClientFrame.close(1000)).code == 1000)
  }

  @Test func `The server listens at all addresses of a name, on one port`() throws {
    let server = try TestServer { configuration, _ in
      configuration.webSocket = [Endpoint("localhost:0")!]
    }
    #expect(Set(server.addresses.map(\.port)).count == 1)
    for address in server.addresses { _ = try Wire.webSocket(address) }
  }

  @Test func `The error names a port in use, and earlier ports are released`() throws {
    let server = try TestServer()
    let taken = server.address
    let error = #expect(throws: NetworkError.self) {
      _ = try TestServer { configuration, _ in configuration.tcp = [taken] }
    }
    #expect(error?.code == .unavailable)
    #expect(error?.description.contains("\(taken)") == true)
  }

  @Test func `A host that does not exist is reported as unavailable`() {
    let error = #expect(throws: NetworkError.self) {
      _ = try TestServer { configuration, _ in
        configuration.webSocket = [Endpoint(host: "no.such.host.invalid", port: 1)]
      }
    }
    #expect(error?.code == .unavailable)
  }

  // MARK: A client's life

  @Test func `A client joins, sends and leaves`() throws {
    let server = try TestServer()
    let wire = try Wire.webSocket(server.address)
    #expect(server.hears("joined 1 websocket"))
    wire.send(ClientFrame.text("X90.") + ClientFrame.bytes(0x82, [0x4C]))
    #expect(server.hears("all"))
    #expect(wire.closingAfter(ClientFrame.close(1000)) == (1000, true))
    #expect(
      server.lines(5) == [
        "joined 1 websocket", "1 text X90.", "1 binary L", "all", "left 1 closed",
      ])
  }

  @Test func `Frames that arrive with the handshake are not lost`() throws {
    let server = try TestServer()
    let wire = try Wire(server.address)
    wire.send(Array(Wire.handshake().utf8) + ClientFrame.text("L"))
    #expect(server.hears("1 text L"))
  }

  @Test func `A watcher's messages are ignored, and it receives prepared frames`() throws {
    let server = try TestServer { _, delegate in
      delegate.whenJoined = { $0.send(prepared: OutboundFrame.text(Array("line".utf8))) }
    }
    let wire = try Wire.webSocket(server.address, "/events")
    #expect(wire.frame()?.payload == Array("line".utf8))
    wire.send(ClientFrame.text("L"))
    #expect(wire.closingAfter(ClientFrame.close(1000)).ends)
    #expect(server.lines(2) == ["watching 1", "watched 1 closed"])
  }

  @Test func `A dismissed client is told the reason before the delegate is notified`() throws {
    let server = try TestServer { _, delegate in
      delegate.whenReceived = {
        ($0 as? WebSocketConnection)?.close(Closing(1008, "enough"))
      }
    }
    let wire = try Wire.webSocket(server.address)
    wire.send(ClientFrame.text("L") + ClientFrame.text("T"))
    let frame = wire.frame()
    #expect(frame?.first == 0x88)
    #expect(frame?.payload == [0x03, 0xF0] + Array("enough".utf8))
    wire.send(ClientFrame.close(1008))
    #expect(wire.receive(1).isEmpty)
    #expect(server.lines(4) == ["joined 1 websocket", "1 text L", "all", "left 1 enough"])
  }

  @Test func `A client that does not answer a ping is removed`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.pingPeriod = .milliseconds(20)
      configuration.limits.pongTime = .milliseconds(100)
    }
    let wire = try Wire.webSocket(server.address)
    #expect(server.hears("left 1 did not answer a ping"))
    // Only pings, and then the end: nothing would answer a close frame.
    #expect(wire.frame() == nil)
  }

  @Test func `Unread input stays in the network, and its sender is not removed as silent`() throws {
    let server = try TestServer { configuration, delegate in
      configuration.limits.pingPeriod = .milliseconds(20)
      configuration.limits.pongTime = .milliseconds(60)
      delegate.whenReceived = { $0.isReading = false }
    }
    let wire = try Wire.webSocket(server.address)
    // In one piece, and in pieces.
    wire.send(ClientFrame.text("X1.") + ClientFrame.text("X2."))
    #expect(server.hears("1 text X1."))
    wire.send(ClientFrame.text("X3."))
    server.wait(milliseconds: 200)
    #expect(server.lines(0) == ["joined 1 websocket", "1 text X1.", "all"])
    try server.perform { $0.clients[0].isReading = true }
    #expect(server.hears("1 text X2."))
    try server.perform { $0.clients[0].isReading = true }
    #expect(server.hears("1 text X3."))
  }

  @Test func `Held input is received before its sender leaves`() throws {
    let server = try TestServer { _, delegate in delegate.whenReceived = { $0.isReading = false } }
    do {
      let wire = try Wire.webSocket(server.address)
      wire.send(ClientFrame.text("X1.") + ClientFrame.text("X2."))
      #expect(server.hears("1 text X1."))
    }
    #expect(server.hears("left 1 closed"))
    #expect(server.lines(0).contains("1 text X2."))
  }

  @Test func `The end is sent to all clients, and waits for none longer than its limit`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.closeTime = .milliseconds(100)
    }
    let polite = try Wire.webSocket(server.address)
    let silent = try Wire.webSocket(server.address, "/events")
    let bare = try Wire(server.tcpAddress)
    let early = try Wire(server.address)
    #expect(server.lines(3).count == 3)
    try server.shutDown()
    #expect(polite.closingAfter([]).code == 1001)
    #expect(silent.closingAfter([]).code == 1001)
    #expect(bare.receiveText() == "{\"closed\": 1001, \"message\": \"the bench is stopping\"}\n")
    #expect(early.receiveAll().isEmpty)
    #expect(throws: Wire.Refused.self) { try Wire(server.address) }
    #expect(
      Set(server.lines(6)).isSuperset(of: [
        "left 1 the bench is stopping", "watched 2 the bench is stopping",
        "left 3 the bench is stopping",
      ]))
    try server.shutDown()
  }

  @Test func `Input after the end was sent is received until the connection is closed`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.closeTime = .seconds(10)
    }
    let wire = try Wire.webSocket(server.address)
    let bare = try Wire(server.tcpAddress)
    #expect(server.lines(2).count == 2)
    let end = server.beginShutDown()
    #expect(wire.frame()?.first == 0x88)
    #expect(bare.receive(through: "\n").hasPrefix("{\"closed\": 1001"))
    wire.send(ClientFrame.text("X1.") + ClientFrame.close(1001))
    bare.send("X2.")
    for end in [wire, bare] { end.finishSending() }
    try end.wait()
    let lines = server.lines(8)
    for (client, line) in [(1, "1 text X1."), (2, "2 binary X2.")] {
      let heard = try #require(lines.firstIndex(of: line))
      let left = try #require(lines.firstIndex(of: "left \(client) the bench is stopping"))
      #expect(heard < left)
    }
  }
}

extension Wire {
  /// Sends bytes, and returns how the server then closes.
  func closingAfter(_ bytes: [UInt8]) -> (code: UInt16?, ends: Bool) {
    send(bytes)
    return closing()
  }
}
