import NIOCore
import NIOHTTP1
import Testing

@testable import Network

struct RequestVerdictTests {
  static let good: [(String, String)] = [
    ("Host", "pi:12354"), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
  ]

  /// A verdict as text for a table: the status, or the action.
  private static func outcome(
    _ method: HTTPMethod, _ uri: String, _ fields: [(String, String)],
    version: HTTPVersion = .http1_1, hasDetector: Bool = false,
    hasCamera: Bool = false
  ) -> String {
    let head = HTTPRequestHead(version: version, method: method, uri: uri, headers: .init(fields))
    switch RequestVerdict(head, hasDetector: hasDetector, hasCamera: hasCamera) {
    case .upgrade(let role): return "\(role)"
    case .health: return "health"
    case .metrics: return "metrics"
    case .session: return "session"
    case .camera: return "camera"
    case .picture: return "picture"
    case .refuse(let reply): return "\(reply.status)"
    }
  }

  @Test(arguments: [
    (HTTPMethod.GET, "/health", "health"), (.HEAD, "/health?token=x", "health"),
    (.GET, "/metrics", "metrics"), (.POST, "/metrics", "405"), (.DELETE, "/health", "405"),
    (.GET, "/", "426"), (.POST, "/", "405"), (.HEAD, "/", "405"), (.GET, "/events", "426"),
    (.GET, "/nothing", "404"), (.GET, "/health/", "404"), (.OPTIONS, "*", "404"),
    (.GET, "/session.jsonl", "session"), (.HEAD, "/session.jsonl?token=x", "session"),
    (.POST, "/session.jsonl", "405"), (.GET, "/events?as=dashboard", "426"),
    (.GET, "/events?as=x", "400"),
    (.GET, "http://pi:12354/health", "health"), (.GET, "ftp://x", "400"),
  ])
  func `Each path has its answer`(_ method: HTTPMethod, _ uri: String, _ expected: String) {
    #expect(Self.outcome(method, uri, [("Host", "pi")]) == expected)
  }

  @Test func `Pictures are accepted only with a detector`() {
    for (method, fields, without, with) in [
      (HTTPMethod.GET, Self.good, "404", "detect"), (.GET, [("Host", "pi")], "404", "426"),
      (.POST, Self.good, "404", "405"),
    ] {
      #expect(Self.outcome(method, "/detect?name=x", fields) == without)
      #expect(Self.outcome(method, "/detect?name=x", fields, hasDetector: true) == with)
    }
    #expect(Self.outcome(.GET, "/detect/", Self.good, hasDetector: true) == "404")
  }

  @Test(arguments: [
    (HTTPMethod.GET, "/camera.mjpg", "404", "camera"), (.HEAD, "/camera.mjpg", "404", "camera"),
    (.GET, "/camera.jpg?token=x", "404", "picture"), (.POST, "/camera.mjpg", "404", "405"),
    (.PUT, "/camera.jpg", "404", "405"), (.GET, "/camera.mjpg/", "404", "404"),
    (.GET, "/camera", "404", "404"),
  ])
  func `The camera has two paths, if there is one`(
    _ method: HTTPMethod, _ uri: String, _ without: String, _ with: String
  ) {
    for fields in [Self.good, [("Host", "pi")]] {
      #expect(Self.outcome(method, uri, fields) == without)
      #expect(Self.outcome(method, uri, fields, hasCamera: true) == with)
    }
  }

  @Test func `The list of paths names the camera's only if there is one`() {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/x", headers: .init([("Host", "pi")]))
    for hasCamera in [false, true] {
      guard case .refuse(let reply) = RequestVerdict(head, hasCamera: hasCamera) else {
        Issue.record("it was not refused")
        return
      }
      #expect(reply.body.contains("/camera.jpg, /camera.mjpg, ") == hasCamera)
    }
  }

  @Test(arguments: [
    ("/", "control"), ("/?token=x", "control"), ("/events", "watch"),
    ("/events?as=trace", "watch"), ("/events?as=dashboard", "dashboard"),
    ("/events?token=x&as=dashboard", "dashboard"), ("/events?as=dashboard&as=trace", "400"),
    ("/events?as=", "400"), ("/events?as=%zz", "400"),
  ])
  func `A good handshake is accepted`(_ uri: String, _ expected: String) {
    #expect(Self.outcome(.GET, uri, Self.good) == expected)
  }

  @Test(arguments: [
    ("Upgrade", "WebSocket", "control"), ("Upgrade", "h2c, websocket", "control"),
    ("Upgrade", "h2c", "426"), ("Upgrade", nil, "426"), ("Upgrade", "websocket2", "426"),
    ("Connection", "keep-alive,  UPGRADE ", "control"), ("Connection", "close", "426"),
    ("Connection", nil, "426"), ("Sec-WebSocket-Version", "8", "426"),
    ("Sec-WebSocket-Version", nil, "426"), ("Sec-WebSocket-Version", "13, 8", "426"),
    ("Sec-WebSocket-Key", nil, "400"), ("Sec-WebSocket-Key", "", "400"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZQ==", "400"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=!", "400"), ("Host", nil, "400"),
  ])
  func `A handshake requires a valid value of each of its fields`(
    _ name: String, _ value: String?, _ expected: String
  ) {
    var fields = Self.good.filter { $0.0 != name }
    if let value { fields.append((name, value)) }
    #expect(Self.outcome(.GET, "/", fields) == expected)
  }

  @Test(arguments: [
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", "400"),
    ("Sec-WebSocket-Version", "13", "426"),
    ("Host", "pi", "400"), ("Content-Length", "5", "400"), ("Content-Length", "0", "control"),
    ("Transfer-Encoding", "chunked", "400"),
    ("Sec-WebSocket-Extensions", "permessage-deflate", "control"),
    ("Sec-WebSocket-Protocol", "chat", "control"),
  ])
  func `A duplicate field is refused where it matters`(
    _ name: String, _ value: String, _ expected: String
  ) {
    #expect(Self.outcome(.GET, "/", Self.good + [(name, value)]) == expected)
  }

  @Test(arguments: [
    (HTTPVersion.http1_1, ["pi"], "health"), (.http1_1, [], "400"),
    (.http1_1, ["pi", "pi"], "400"),
    (.http1_1, [""], "health"), (.http1_0, [], "health"), (.http1_0, ["pi"], "health"),
    (.http1_0, ["pi", "pi"], "400"),
  ])
  func `A request of HTTP 1_1 has exactly one Host`(
    _ version: HTTPVersion, _ hosts: [String], _ expected: String
  ) {
    let fields = hosts.map { ("Host", $0) }
    #expect(Self.outcome(.GET, "/health", fields, version: version) == expected)
  }

  @Test(arguments: [
    ("websocket", "websocket"), ("websocket\t", "websocket"), (" \t websocket \t ", "websocket"),
    ("a \t b", "a \t b"), ("", ""), ("\t", ""), ("é\t", "é"), ("a\u{A0}", "a\u{A0}"),
  ])
  func `White space around a value is not part of it`(_ value: String, _ expected: String) {
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/", headers: HTTPHeaders([("A", value), ("B", "b")]))
    #expect(head.trimmed.headers == HTTPHeaders([("A", expected), ("B", "b")]))
    #expect(head.trimmed.uri == "/")
  }

  @Test func `A handshake requires HTTP 1_1`() {
    #expect(Self.outcome(.GET, "/", Self.good, version: .http1_0) == "400")
  }

  @Test func `A client of another version is told which version is supported`() {
    let bytes = Handshake.Flaw.version.reply.bytes(isHead: false)
    let text = String(buffer: bytes)
    #expect(text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
    #expect(text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
    #expect(text.contains("\r\nConnection: close, upgrade\r\n"))
  }

  @Test func `The answer to HEAD has the length of the body but no body`() {
    let reply = HTTPReply(200, "{}", contentType: "application/json")
    let text = String(buffer: reply.bytes(isHead: true))
    #expect(text.contains("\r\nContent-Length: 2\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }
}
