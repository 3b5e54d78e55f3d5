import Network
import Platform
import Sketches
import TestSupport
import Testing

@testable import Serial

@Suite(.ownThread) struct RemoteBoardPortTests {
  /// Reads from a port until it has `count` bytes.
  private static func read(_ port: RemoteBoardPort, count: Int) throws -> [UInt8] {
    let deadline = HostTime.now + .seconds(20)
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += try port.read()
      try #require(HostTime.now < deadline, "\(bytes)")
      _ = (HostTime.now + .milliseconds(1)).wait(for: port.descriptor)
    }
    return bytes
  }

  @Test func `A board behind a server is read, written, restarted and set to a speed`() throws {
    let server = try EchoServer()
    let port = try RemoteBoardPort(server.endpoint, speed: 19_200)
    #expect(port.path == "rfc2217://\(server.endpoint)")
    let bytes = (0..<1_000).map { UInt8($0 % 256) }
    #expect(try port.write(bytes) == 1_000)
    #expect(try Self.read(port, count: 1_000) == bytes)
    #expect(try port.pulseReset())
    try port.setSpeed(300)
    _ = try port.write([65])
    #expect(try Self.read(port, count: 1) == [65])
    #expect(port.outputCount == 0)
    let seen = server.stop()
    // Its own speed is the first, unless the client is faster than its first turn.
    #expect(seen.speeds.suffix(2) == [19_200, 300])
    // Opening the port sets DTR, and the pulse does again.
    #expect(seen.restarts == 2)
  }

  @Test func `Bytes that another reader has read are decoded`() throws {
    let server = try EchoServer()
    let port = try RemoteBoardPort(server.endpoint, speed: 9_600)
    #expect(port.decode([65, 255, 255]) == [65, 255])
    #expect(port.decode([255]) == [])
    #expect(port.decode([255, 66]) == [255, 66])
    _ = server.stop()
  }

  @Test func `A server that leaves is gone`() throws {
    let server = try EchoServer()
    let port = try RemoteBoardPort(server.endpoint, speed: 9_600)
    _ = server.stop()
    let deadline = HostTime.now + .seconds(20)
    let error = #expect(throws: SerialError.self) {
      while HostTime.now < deadline { _ = try port.read() }
    }
    #expect(error?.code == .gone)
  }

  @Test func `A port that no server has is unavailable`() throws {
    let server = try EchoServer()
    let endpoint = server.endpoint
    _ = server.stop()
    let error = #expect(throws: SerialError.self) { try RemoteBoardPort(endpoint, speed: 9_600) }
    #expect(error?.code == .unavailable)
    #expect(
      error?.description.hasPrefix(
        "rfc2217://\(endpoint): error: no RFC 2217 server answers there: ") == true)
  }

  @Test func `A speed that the server refuses is a problem`() throws {
    let server = try EchoServer()
    let error = #expect(throws: SerialError.self) {
      try RemoteBoardPort(server.endpoint, speed: 3_000_000)
    }
    #expect(error?.message.contains("keeps the port at 9600 bits a second") == true)
    _ = server.stop()
  }

  @Test func `A second client of a port is told that another may have it`() throws {
    let server = try EchoServer()
    let first = try RemoteBoardPort(server.endpoint, speed: 9_600)
    let error = #expect(throws: SerialError.self) {
      try RemoteBoardPort(server.endpoint, speed: 9_600)
    }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("another client may have the port") == true)
    #expect(first.outputCount == 0)
    _ = server.stop()
  }
}
