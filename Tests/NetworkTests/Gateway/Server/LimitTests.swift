import Network
import NetworkTestSupport
import Platform
import Sketches
import TestSupport
import Testing

@Suite(.ownThread, .serialized)
struct LimitTests {
  private static func closing(
    after bytes: [UInt8], _ prepare: @escaping @Sendable (inout Limits) -> Void = { _ in }
  ) throws -> UInt16? {
    let server = try TestServer { configuration, _ in prepare(&configuration.limits) }
    let (code, ends) = try Wire.webSocket(server.address).closingAfter(bytes)
    #expect(ends)
    return code
  }

  @Test func `A message that is too long is refused after its header`() throws {
    #expect(try Self.closing(after: [0x82, 0xFF, 0, 0, 0, 0, 0x10, 0, 0, 0, 1, 2, 3, 4]) == 1009)
  }

  @Test func `A flood of messages is refused`() throws {
    let flood = Array((0..<20).flatMap { _ in ClientFrame.text("L") })
    #expect(try Self.closing(after: flood) { $0.messagesPerSecondMax = 10 } == 1008)
    let pings = Array((0..<20).flatMap { _ in ClientFrame.bytes(0x8A) })
    #expect(try Self.closing(after: pings) { $0.messagesPerSecondMax = 10 } == 1008)
  }

  @Test(
    arguments: [
      (ClientFrame.bytes(0x81, [0xFF]), 1007), (ClientFrame.bytes(0xC1, [0x4A, 0x2C]), 1002),
      (ClientFrame.bytes(0x81, [0x4C], key: nil), 1002), (ClientFrame.close(1005), 1002),
    ] as [([UInt8], UInt16)])
  func `A protocol error is answered with its code`(_ bytes: [UInt8], _ code: UInt16) throws {
    #expect(try Self.closing(after: bytes) == code)
  }

  @Test(arguments: [true, false])
  func `A client that never reads is closed and uses limited memory`(_ isBare: Bool) throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.outboundBytesMax = 100_000
      configuration.limits.closeTime = .milliseconds(50)
    }
    let wire =
      isBare
      ? try Wire(server.tcpAddress, receiveBufferBytes: 4_096)
      : try Wire.webSocket(server.address, receiveBufferBytes: 4_096)
    #expect(server.lines(1).count == 1)
    try server.perform { delegate in
      let client = delegate.clients[0]
      let kilobyte = [UInt8](repeating: 65, count: 1_024)
      for _ in 0..<10_000 { client.send(kilobyte, as: .text) }
      #expect(!client.isWritable)
    }
    #expect(server.hears("left 1 the client does not read"))
    // The kernel's buffers and the limit together, not ten megabytes.
    #expect(wire.receiveAll().count < 2_000_000)
  }

  @Test func `Bare TCP can be idle for a limited time only`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.idleTime = .milliseconds(50)
    }
    let wire = try Wire(server.tcpAddress)
    #expect(wire.receiveText().hasPrefix("{\"closed\": 1008, "))
    #expect(server.hears("left 1 the client sent nothing for too long"))
  }

  @Test
  func `If all places are taken, the next client is told so, and health still answers`() throws {
    let server = try TestServer { configuration, _ in configuration.limits.clientsMax = 2 }
    do {
      let first = try Wire.webSocket(server.address)
      let second = try Wire(server.tcpAddress)
      #expect(server.lines(2).count == 2)
      let third = try Wire(server.address)
      third.send(Wire.handshake())
      #expect(third.receiveText().hasPrefix("HTTP/1.1 503 "))
      #expect(try Wire(server.tcpAddress).receiveText().hasPrefix("{\"closed\": 1013, "))
      let health = try Wire(server.address)
      health.send("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n")
      #expect(health.receiveText().hasPrefix("HTTP/1.1 200 "))
      #expect(server.lines(4).count { $0 == "refused 503" } == 2)
      _ = (first, second)
    }
    #expect(server.hears("left 1 closed") && server.hears("left 2 closed"))
    _ = try Wire.webSocket(server.address)
  }

  @Test func `Unfinished requests have limited places and exclude no other client`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.clientsMax = 2
      configuration.limits.requestTime = .seconds(60)
    }
    let controller = try Wire.webSocket(server.address)
    #expect(server.hears("joined 1 websocket"))
    // More connections than there are places for this address; each sends part of a request.
    let wires = try (0..<140).map { _ in
      let wire = try Wire(server.address)
      wire.send("GET / HT")
      return wire
    }
    // The oldest have given way, and the latest can still complete their requests.
    for wire in wires.prefix(92) { #expect(wire.receiveAll().isEmpty) }
    let health = try Wire(server.address)
    health.send("GET /health HTTP/1.1\r\nHost: pi\r\n\r\n")
    #expect(health.receiveText().hasPrefix("HTTP/1.1 200 "))
    controller.send(ClientFrame.text("L"))
    #expect(server.hears("1 text L"))
    wires[139].send("TP/1.1\r\n" + Wire.handshake().drop { $0 != "\r\n" }.dropFirst())
    #expect(server.hears("joined 2 websocket"))
    // Each is counted, and the log has at most one line a second, with the number of refusals since
    // the last one.
    #expect(server.lines(0).count { $0 == "refused 503" } == 93)
    try server.shutDown()
    let counts = server.logged.map { line in
      line.split(separator: " ").first { $0.hasPrefix("refused=") }.flatMap { Int($0.dropFirst(8)) }
        ?? 1
    }
    #expect(counts.reduce(0, +) == server.lines(0).count { $0.hasPrefix("refused ") })
    #expect(counts.first == 1 && counts.count < 10)
    #expect(server.logged[0].contains("its request was incomplete"))
  }

  @Test func `A bare TCP connection without a place is told so and holds none`() throws {
    let server = try TestServer { configuration, _ in configuration.limits.clientsMax = 1 }
    let client = try Wire(server.tcpAddress)
    #expect(server.hears("joined 1 tcp"))
    let wires = try (0..<60).map { _ in try Wire(server.tcpAddress) }
    for wire in wires {
      #expect(
        wire.receive(through: "\n")
          == "{\"closed\": 1013, \"message\": \"too many clients are connected\"}\n")
    }
    client.send("L")
    #expect(server.hears("1 binary L"))
    #expect(server.lines(0).count { $0 == "refused 503" } == 60)
  }

  @Test func `A series of connections leaves nothing open`() throws {
    let server = try TestServer()
    func openDescriptors() -> Int { (0..<1_024).count { fcntl($0, F_GETFD) != -1 } }
    let before = openDescriptors()
    for index in 0..<2_000 {
      switch index % 4 {
      case 0: _ = try Wire.webSocket(server.address).closingAfter(ClientFrame.close(1000))
      case 1: _ = try Wire.webSocket(server.address, "/events")
      case 2: try Wire(server.address).send("GET / HT")
      default: try Wire(server.tcpAddress).send("L")
      }
    }
    // The last of them may still be closing.
    for _ in 0..<500 where openDescriptors() > before + 8 { server.wait(milliseconds: 10) }
    #expect(openDescriptors() <= before + 8)
  }

  @Test func `Random bytes end only their own connection`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.requestTime = .milliseconds(300)
    }
    var random = SeededGenerator(seed: 0x5EED)
    for index in 0..<150 {
      let bytes = (0..<Int.random(in: 1...600, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let wire: Wire
      switch index % 3 {
      case 0: wire = try Wire(server.address)
      case 1:
        wire = try Wire(server.address)
        var request = Array(Wire.handshake().utf8)
        for _ in 0..<3 { request[.random(in: request.indices, using: &random)] = bytes[0] }
        wire.send(request)
      default: wire = try Wire.webSocket(server.address)
      }
      wire.send(bytes)
    }
    #expect(try Wire.webSocket(server.address).closingAfter(ClientFrame.close(1000)).ends)
  }
}
