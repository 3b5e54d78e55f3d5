import NIOHTTP1
import Network
import NetworkTestSupport
import Platform
import Sketches
import Synchronization
import TestSupport
import Testing

@Suite(.ownThread, .serialized)
struct RequestHandlerTests {
  private static func answer(
    _ server: TestServer, _ request: String
  ) throws -> String {
    let wire = try Wire(server.address)
    wire.send(request)
    return wire.receiveText()
  }

  @Test(arguments: [
    ("GET /health", "200 OK", "application/json", "{\"ok\": true}"),
    ("HEAD /health", "200 OK", "application/json", ""),
    ("GET /metrics", "200 OK", "text/plain; version=0.0.4; charset=utf-8", "a 1\n"),
    (
      "POST /metrics", "405 Method Not Allowed", "text/plain; charset=utf-8",
      "Only GET and HEAD are allowed.\n"
    ),
    (
      "GET /x", "404 Not Found", "text/plain; charset=utf-8",
      "The paths are /, /dashboard/, /phone/, /playground/, /detect, /events, /health, /metrics "
        + "and /session.jsonl.\n"
    ),
    (
      "GET /detect", "404 Not Found", "text/plain; charset=utf-8",
      "There is no detector: start the gateway with --detector ws://HOST:PORT.\n"
    ),
  ])
  func `A page is sent whole, and then the connection is closed`(
    _ line: String, _ status: String, _ type: String, _ body: String
  ) throws {
    let server = try TestServer()
    // A body and a second request are ignored.
    let answer = try Self.answer(
      server,
      "\(line) HTTP/1.1\r\nHost: pi\r\nContent-Length: 3\r\n\r\nabcGET /health HTTP/1.1\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"))
    #expect(answer.contains("\r\nContent-Type: \(type)\r\n"))
    #expect(answer.contains("\r\nConnection: close\r\n"))
    #expect(answer.contains("\r\nCross-Origin-Resource-Policy: same-origin\r\n"))
    #expect(answer.hasSuffix("\r\n\r\n\(body)"))
    #expect(answer.components("HTTP/1.1 ") == 1)
  }

  @Test func `A page requires no token, and what is live does`() throws {
    let server = try TestServer { configuration, _ in
      var policy = AccessPolicy()
      policy.tokens = [.example("0123456789abcdef")]
      configuration.authorize(by: policy)
      let page = PageFile(path: "/dashboard/index.html", bytes: Array("<p>hi</p>".utf8))
      configuration.pages = PageTable([page])
    }
    for (line, host, status) in [
      ("GET /", "127.0.0.1", "302"), ("GET /dashboard/", "127.0.0.1", "200"),
      ("GET /dashboard/", "evil.example", "403"), ("GET /dashboard/../x", "127.0.0.1", "404"),
      ("GET /session.jsonl", "127.0.0.1", "401"), ("GET /health", "127.0.0.1", "401"),
      ("GET /detect", "127.0.0.1", "401"),
      ("GET /session.jsonl?token=0123456789abcdef", "127.0.0.1", "200"),
      ("GET /events?as=dashboard", "127.0.0.1", "401"),
      ("GET /events?as=dashboard&token=0123456789abcdeX", "127.0.0.1", "401"),
      ("GET /events?as=dashboard&token=%00", "127.0.0.1", "401"),
      ("GET /events?as=dashboard&token=0123456789abcdef", "127.0.0.1", "426"),
    ] {
      let answer = try Self.answer(server, "\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(line)")
    }
    for token in ["", "?token=0123456789abcdeX"] {
      let answer = try Self.answer(server, Wire.handshake("/events" + token))
      #expect(answer.hasPrefix("HTTP/1.1 401 "))
    }
  }

  @Test func `A page of another site gets the same answer for each path`() throws {
    let server = try TestServer { configuration, _ in
      configuration.authorize(by: AccessPolicy())
      let page = PageFile(path: "/dashboard/index.html", bytes: Array("<p>hi</p>".utf8))
      configuration.pages = PageTable([page])
    }
    let answers = try ["/dashboard/", "/dashboard/x", "/health", "/x"].map {
      try Self.answer(
        server,
        "GET \($0) HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: cross-site\r\n"
          + "Sec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n\r\n")
    }
    #expect(answers[0].hasPrefix("HTTP/1.1 403 "))
    #expect(Set(answers).count == 1)
  }

  private static let request = "GET /session.jsonl HTTP/1.1\r\nHost: pi\r\n\r\n"

  @Test func `A session is made once for those that save it at once, and sent whole`() throws {
    let (server, count) = try Self.serving(bytes: 3 << 20)
    let wires = try (0..<4).map { _ in try Wire(server.address) }
    for wire in wires { wire.send(Self.request) }
    for wire in wires {
      let answer = wire.receiveAll()
      let head = answer.firstRange(of: Array("\r\n\r\n".utf8))
      #expect(answer.count - (head?.upperBound ?? 0) == 3 << 20)
      #expect(String(decoding: answer.prefix(200), as: UTF8.self).contains("Length: 3145728\r\n"))
    }
    #expect((1...4).contains(count.withLock { $0 }))
    // The clients have not closed their connections yet, so they still count for a moment.
    let hasLength = try Self.wait {
      let head = try Self.answer(server, "HEAD" + Self.request.dropFirst(3))
      return head.contains("Length: 3145728\r\n") && head.hasSuffix("\r\n\r\n")
    }
    #expect(hasLength)
  }

  @Test func `Slow readers of a session are limited, and are closed`() throws {
    let (server, count) = try Self.serving(bytes: 16 << 20) { $0.closeTime = .seconds(1) }
    let slow = try (0..<4).map { _ in try Wire(server.address, receiveBufferBytes: 4_096) }
    for wire in slow { wire.send(Self.request) }
    for wire in slow { #expect(wire.receive(through: "200 OK").hasSuffix("200 OK")) }
    #expect((1...4).contains(count.withLock { $0 }))
    let next = try Self.answer(server, Self.request)
    #expect(next.hasPrefix("HTTP/1.1 503 ") && next.contains("\r\nRetry-After: 1\r\n"))
    // They have time for two parts.
    let isFree = try Self.wait {
      try Self.answer(server, "HEAD" + Self.request.dropFirst(3)).contains(" 200 OK")
    }
    #expect(isFree)
    for wire in slow { #expect(wire.receiveAll().count < 2 << 20) }
  }

  /// A server with a session of this many bytes, and how often its text was made.
  private static func serving(
    bytes: Int, _ prepare: @escaping @Sendable (inout Limits) -> Void = { _ in }
  ) throws -> (TestServer, Counter) {
    let counter = Counter()
    let server = try TestServer { configuration, delegate in
      configuration.limits.pageBytesPerSecondMin = 1 << 20
      prepare(&configuration.limits)
      delegate.makeTrace = {
        counter.withLock { $0 += 1 }
        return [UInt8](repeating: 65, count: bytes)
      }
    }
    return (server, counter)
  }

  private final class Counter: Sendable {
    private let count = Mutex(0)
    func withLock<Result: Sendable>(_ body: (inout sending Int) -> sending Result) -> Result {
      count.withLock(body)
    }
  }

  private static func wait(until isMet: () throws -> Bool) rethrows -> Bool {
    let deadline = HostTime.now + .seconds(20)
    while HostTime.now < deadline {
      if try isMet() { return true }
      (HostTime.now + .milliseconds(50)).sleep()
    }
    return false
  }

  @Test func `A large page arrives whole`() throws {
    let body = [UInt8](repeating: UInt8(ascii: "a"), count: 3 << 20)
    let server = try TestServer { configuration, _ in
      configuration.pages = PageTable([PageFile(path: "/phone/a.wasm", bytes: body)])
    }
    let answer = try Self.answer(server, "GET /phone/a.wasm HTTP/1.1\r\nHost: pi\r\n\r\n")
    #expect(answer.utf8.count > 3 << 20)
    #expect(answer.contains("Content-Type: application/wasm\r\n"))
  }

  @Test func `A gateway with a problem reports it`() throws {
    let server = try TestServer { _, delegate in delegate.isWell = false }
    let answer = try Self.answer(server, "GET /health HTTP/1.1\r\nHost: pi\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 503 "))
    #expect(answer.hasSuffix("{\"ok\": false}"))
  }

  @Test(arguments: ["/", "/events", "/health", "/metrics", "/x"])
  func `A client without access gets only the refusal`(_ path: String) throws {
    let server = try TestServer { configuration, _ in
      configuration.authorize = { head in
        head.headers["authorization"].isEmpty ? (401, "A token is required.") : nil
      }
    }
    let answer = try Self.answer(server, Wire.handshake(path))
    #expect(answer.hasPrefix("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n"))
    #expect(server.lines(1) == ["refused 401"])
  }

  @Test(arguments: ["/health", "/metrics"])
  func `A page reads nothing if its name was made to point here`(_ path: String) throws {
    let server = try TestServer { configuration, _ in configuration.authorize(by: AccessPolicy()) }
    for (host, status) in [("127.0.0.1", 200), ("localhost:80", 200), ("evil.example", 403)] {
      let answer = try Self.answer(server, "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(host)")
      #expect(answer.contains("{") == (status == 200 && path == "/health"))
    }
    #expect(server.lines(1) == ["refused 403"])
    // A WebSocket can use any name, because a browser would send the page's origin.
    _ = try Wire.webSocket(server.address)
  }

  @Test(arguments: [
    ("this is not HTTP at all\r\n\r\n", 400), ("GET / HTTP/1.1\r\nNo colon\r\n\r\n", 400),
    ("GET /\(String(repeating: "x", count: 2_000)) HTTP/1.1\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 2_000))\r\n\r\n", 431),
    ("GET / HTTP/1.1\r\n\(String(repeating: "X: 12345678901234567\r\n", count: 80))\r\n", 431),
    ("GET / HTTP/1.1\r\n", 408), ("", 408),
    ("POST /health HTTP/1.1\r\nHost: pi\r\nContent-Length: 100\r\n\r\n", 405),
    ("GET /health HTTP/1.1\r\n\r\n", 400),
    ("GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
  ])
  func `A request that is invalid, too long or too slow is refused`(
    _ request: String, _ status: Int
  )
    throws
  {
    let server = try TestServer { configuration, _ in
      configuration.limits.requestBytesMax = 1_024
      configuration.limits.requestTime = .milliseconds(100)
    }
    #expect(try Self.answer(server, request).hasPrefix("HTTP/1.1 \(status) "))
    #expect(server.lines(1) == ["refused \(status)"])
  }

  @Test func `Any request without a Host gets 400, except one of HTTP 1_0`() throws {
    let server = try TestServer { configuration, _ in
      configuration.authorize = { _ in (401, "A token is required.") }
    }
    #expect(try Self.answer(server, "GET / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 400 "))
    #expect(try Self.answer(server, "GET / HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 401 "))
  }

  @Test func `A tab after a value is white space in every field`() throws {
    let server = try TestServer { configuration, _ in
      var policy = AccessPolicy()
      policy.tokens = [.example("0123456789abcdef")]
      configuration.authorize(by: policy)
    }
    let wire = try Wire(server.address)
    let fields = [
      "Host: pi", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Authorization: Bearer 0123456789abcdef",
    ]
    wire.send("GET / HTTP/1.1\r\n" + fields.map { $0 + "\t\r\n" }.joined() + "\r\n")
    #expect(wire.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
    #expect(server.hears("joined 1 websocket"))
  }

  @Test(arguments: [
    "/;token=0123456789abcdef", "/x;%54oken%3d0123456789abcdef?token=0123456789abcdef",
  ])
  func `A token in the path is not logged`(_ target: String) throws {
    let server = try TestServer()
    let answer = try Self.answer(server, "GET \(target) HTTP/1.1\r\nHost: pi\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 404 "))
    #expect(server.logs("status=404"))
    #expect(server.logged.count == 1 && server.logged[0].contains("..."))
    #expect(!server.logged[0].contains("0123456789abcdef"))
  }

  @Test func `A request that arrives byte by byte is given up in time`() throws {
    let server = try TestServer { configuration, _ in
      configuration.limits.requestTime = .milliseconds(150)
    }
    let wire = try Wire(server.address)
    for byte in "GET / HTTP/1.1\r\nX: y".utf8 {
      wire.send([byte])
      server.wait(milliseconds: 10)
    }
    #expect(wire.receiveText().hasPrefix("HTTP/1.1 408 "))
  }
}

extension String {
  /// How often `part` occurs in it.
  fileprivate func components(_ part: String) -> Int { ranges(of: part).count }
}
