import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import Network

struct PageTableTests {
  private static let html = Array("<p>hello</p>".utf8)
  private static let script = Array("export {};".utf8)
  private static let table = PageTable([
    PageFile(path: "/dashboard/index.html", bytes: html),
    PageFile(path: "/dashboard/main.js", bytes: script, gzip: [1, 2, 3]),
    PageFile(path: "/common/theme.css", bytes: []),
    PageFile(path: "/common/notes.md", bytes: html),
  ])

  private static func reply(
    _ path: String, _ method: HTTPMethod = .GET, _ fields: [(String, String)] = []
  ) -> HTTPReply? {
    table.answer(
      to: HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: .init(fields)))
  }

  private static func value(_ name: String, _ reply: HTTPReply?) -> String? {
    reply?.fields.first { $0.name == name }?.value
  }

  @Test(
    arguments: [
      (.GET, "/", 302), (.HEAD, "/", 302), (.POST, "/", nil), (.GET, "/?token=x", 302),
      (.GET, "/dashboard", 302), (.GET, "/dashboard/", 200), (.HEAD, "/dashboard/", 200),
      (.GET, "/dashboard/?x", 200), (.GET, "/dashboard/index.html", 200),
      (.GET, "http://pi/dashboard/main.js", 200), (.POST, "/dashboard/", 405),
      (.DELETE, "/dashboard/main.js", 405), (.GET, "/dashboard/nothing", 404),
      (.GET, "/common/theme.css", 200), (.GET, "/common", 404), (.GET, "/common/", 404),
      (.GET, "/common/notes.md", 404), (.GET, "/phone", 404), (.GET, "/phone/", 404),
      (.GET, "/playground/", 404), (.GET, "/playground/playground.wasm", 404),
      (.GET, "/health", nil), (.GET, "/events", nil), (.GET, "/dashboards", nil), (.GET, "*", nil),
      (.GET, "/dashboard/../dashboard/main.js", 404), (.GET, "/dashboard//main.js", 404),
      (.GET, "/dashboard/%2e%2e/main.js", 404), (.GET, "/dashboard/main.js%00", 404),
      (.GET, "/dashboard/..%2f..%2fetc/passwd", 404), (.GET, "/../etc/passwd", nil),
      (.GET, "//dashboard/", nil), (.GET, "/Dashboard/", nil), (.GET, "", nil),
    ] as [(HTTPMethod, String, Int?)])
  func `A path is a page, leads to one, or is something else`(
    _ method: HTTPMethod, _ path: String, _ status: Int?
  ) {
    #expect(Self.reply(path, method)?.status == status)
  }

  @Test(arguments: [
    ("/", 302), ("/playground", 302), ("/playground/", 200), ("/playground/programs/a.hex", 200),
    ("/playground/b", 404), ("/dashboard/", nil), ("/health", nil),
  ])
  func `A table can have other folders than a gateway's`(_ path: String, _ status: Int?) {
    let files = ["index.html", "programs/a.hex"].map { name in
      PageFile(path: "/playground/\(name)", bytes: Self.html)
    }
    let table = PageTable(files, folders: ["playground"])
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: path)
    #expect(table.answer(to: head)?.status == status)
  }

  @Test func `Without the phone's page, the answer says what to do`() {
    #expect(!Self.table.hasPhone)
    let missing = "The folder phone is not installed with this program"
    #expect(Self.reply("/phone/")?.body == missing + ".\n")
    var table = Self.table
    table.remedies = ["phone": "install it"]
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/phone/")
    #expect(table.answer(to: head)?.body == missing + ": install it.\n")
    let file = PageFile(path: "/phone/index.html", bytes: Self.html)
    #expect(PageTable([file]).hasPhone)
  }

  @Test func `A very long path is not a page`() {
    #expect(Self.reply("/dashboard/" + String(repeating: "../", count: 20_000))?.status == 404)
  }

  @Test func `An upgrade to WebSocket is not for a page`() {
    #expect(Self.reply("/", .GET, [("Upgrade", "websocket")]) == nil)
    #expect(Self.reply("/dashboard/", .GET, [("Upgrade", "websocket")]) == nil)
  }

  @Test func `Every page has a policy, and the browser may not guess what it is`() {
    for path in ["/", "/dashboard/", "/dashboard/main.js", "/common/theme.css"] {
      let reply = Self.reply(path)
      #expect(Self.value("Content-Security-Policy", reply)?.hasPrefix("default-src 'none'") == true)
      #expect(Self.value("X-Content-Type-Options", reply) == "nosniff")
      #expect(Self.value("Referrer-Policy", reply) == "no-referrer")
    }
    #expect(Self.reply("/dashboard/")?.contentType == "text/html; charset=utf-8")
    #expect(Self.reply("/dashboard/main.js")?.contentType == "text/javascript; charset=utf-8")
    #expect(Self.reply("/dashboard/")?.content == Self.html)
  }

  @Test(arguments: [
    (nil, false), ("gzip", true), ("deflate, gzip;q=0.5", true), ("GZIP", true), ("x-gzip", false),
    ("gzip;q=0", false), ("gzip; q=0.0", false), ("br", false), ("*", false), ("", false),
    (";;,;q=,gzip;q=x", true),
  ])
  func `A page is compressed for a client that accepts that`(_ accepted: String?, _ isGzip: Bool) {
    let fields = accepted.map { [("Accept-Encoding", $0)] } ?? []
    let reply = Self.reply("/dashboard/main.js", .GET, fields)
    #expect(reply?.content == (isGzip ? [1, 2, 3] : Self.script))
    #expect(Self.value("Content-Encoding", reply) == (isGzip ? "gzip" : nil))
    #expect(Self.value("Vary", reply) == "Accept-Encoding")
    #expect(Self.value("ETag", reply)?.hasSuffix("-gz\"") == isGzip)
  }

  @Test func `A browser that has the page does not receive it again`() throws {
    let tag = try #require(Self.value("ETag", Self.reply("/dashboard/main.js")))
    let table: [(String, Int)] = [
      (tag, 304), ("W/" + tag, 304), ("\"x\", " + tag, 304), ("*", 304), ("\"x\"", 200), ("", 200),
    ]
    for (field, status) in table {
      let reply = Self.reply("/dashboard/main.js", .GET, [("If-None-Match", field)])
      #expect(reply?.status == status, "\(field)")
    }
    let compressed = Self.reply(
      "/dashboard/main.js", .GET, [("If-None-Match", tag), ("Accept-Encoding", "gzip")])
    #expect(compressed?.status == 200)
    let unchanged = Self.reply("/dashboard/main.js", .GET, [("If-None-Match", tag)])
    let text = unchanged.map { String(buffer: $0.bytes(isHead: false)) } ?? ""
    #expect(text.contains("\r\nETag: \(tag)\r\n"))
    #expect(!text.contains("Content-Length"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test func `Other contents have another ETag`() {
    let tags = [[], [0], [0, 0], Self.html, Self.script].map { PageFile(path: "", bytes: $0).tag }
    #expect(Set(tags).count == tags.count)
  }

  @Test func `A gateway without pages answers as before`() {
    let empty = PageTable()
    let head = { HTTPRequestHead(version: .http1_1, method: .GET, uri: $0) }
    #expect(empty.answer(to: head("/")) == nil)
    #expect(empty.answer(to: head("/dashboard/"))?.status == 404)
    #expect(empty.answer(to: head("/dashboard/"))?.body.contains("not installed") == true)
  }

  @Test func `Paths made of anything are answered`() {
    var random = SeededGenerator(seed: 18)
    let parts = ["/", "dashboard", "..", "%", "%2e", "index.html", "?", "*", "//", "\u{7f}", "a"]
    for _ in 0..<2_000 {
      let count = Int.random(in: 0...12, using: &random)
      let path = (0..<count).compactMap { _ in parts.randomElement(using: &random) }
      if let reply = Self.reply(path.joined()) {
        #expect([200, 302, 404].contains(reply.status), "seed 18: \(path.joined())")
      }
    }
  }
}
