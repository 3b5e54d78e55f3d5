import NetworkTestSupport
import Sketches
import TestSupport
import Testing

@testable import Network

@Suite(.ownThread, .serialized)
struct TCPConnectionTests {
  @Test func `Bytes are received as they arrive, even before a half-close`() throws {
    let server = try TestServer { _, delegate in
      delegate.whenJoined = { $0.send(Array("hello\n".utf8), as: .text) }
    }
    let wire = try Wire(server.tcpAddress)
    #expect(wire.receive(through: "\n") == "hello\n")
    wire.send("X90.L")
    wire.finishSending()
    #expect(wire.receiveAll().isEmpty)
    #expect(server.lines(4) == ["joined 1 tcp", "1 binary X90.L", "all", "left 1 closed"])
  }

  @Test func `Bytes that are not read yet are held and received in the end`() throws {
    let server = try TestServer { _, delegate in delegate.whenJoined = { $0.isReading = false } }
    do {
      let wire = try Wire(server.tcpAddress)
      #expect(server.hears("joined 1 tcp"))
      wire.send("X1.")
      server.wait(milliseconds: 50)
      #expect(server.lines(1).count == 1)
      try server.perform { $0.clients[0].isReading = true }
      #expect(server.hears("1 binary X1."))
      try server.perform { $0.clients[0].isReading = false }
      wire.send("X2.")
    }
    #expect(server.hears("left 1 closed"))
    #expect(server.lines(0).contains("1 binary X2."))
  }

  @Test(arguments: [true, false])
  func `The end of a client is detected although its data is not read`(isBare: Bool) throws {
    let server = try TestServer { configuration, delegate in
      configuration.limits.pingPeriod = .milliseconds(50)
      delegate.whenJoined = { $0.isReading = false }
    }
    do {
      let wire =
        isBare
        ? try Wire(server.tcpAddress, sendTime: .milliseconds(300))
        : try Wire.webSocket(server.address, sendTime: .milliseconds(300))
      #expect(server.lines(1).count == 1)
      // More than both systems hold, so that the end of the connection cannot arrive.
      let frames = Array((0..<10_000).flatMap { _ in ClientFrame.text("X90.X90.X90.X90.") })
      for _ in 0..<100 where wire.send(frames) {}
      server.wait(milliseconds: 200)
      #expect(!server.lines(0).contains { $0.hasPrefix("left") })
    }
    #expect(server.hears("left 1 closed"))
  }

  @Test(arguments: [
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nX45.", "an HTTP request"),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}X45.", "a TLS connection"),
  ])
  func `A web page's connection is refused, counted and logged, and gives no command`(
    _ bytes: String, _ what: String
  ) throws {
    let server = try TestServer()
    let page = try Wire(server.tcpAddress)
    page.send(bytes)
    let isHTTP = what == "an HTTP request"
    #expect(
      page.receiveText().hasPrefix("HTTP/1.1 400 Bad Request\r\n") == isHTTP)
    #expect(server.hears("left 1 it begins as \(what); bare TCP takes only commands"))
    #expect(Set(server.lines(3)).isSuperset(of: ["joined 1 tcp", "refused 400"]))
    #expect(!server.lines(0).contains { $0.hasPrefix("1 ") })
    #expect(server.logs("status=400 why=\"it begins as \(what); bare TCP takes only commands\""))
    // Data that it sends after that is not read either.
    page.send("X45.")
    let client = try Wire(server.tcpAddress)
    client.send("L")
    #expect(server.hears("2 binary L"))
    #expect(!server.lines(0).contains { $0.hasPrefix("1 ") })
  }

  @Test func `Only the first read is checked, and a single letter is not held back`() throws {
    let server = try TestServer()
    let wire = try Wire(server.tcpAddress)
    wire.send("T")
    #expect(server.hears("1 binary T"))
    wire.send("GET / HTTP/1.1\r\n")
    #expect(server.hears("1 binary GET / HTTP/1.1\r\n"))
  }

  @Test func `A dismissed client is told the reason in a line of JSON`() throws {
    let server = try TestServer { _, delegate in
      delegate.whenJoined = {
        ($0 as? TCPConnection)?.close(Closing(1008, "a \"reason\"\n"))
      }
    }
    let wire = try Wire(server.tcpAddress)
    wire.send("L")
    #expect(
      wire.receiveText() == "{\"closed\": 1008, \"message\": \"a \\\"reason\\\"\\n\"}\n")
    #expect(server.lines(2) == ["joined 1 tcp", "left 1 a \"reason\"\n"])
  }
}
