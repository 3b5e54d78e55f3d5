package import NIOHTTP1
import Sketches

/// The web pages of a server, read when it starts. A request's path is looked up here and never
/// becomes part of a file's path.
package struct PageTable: Hashable, Sendable {
  /// The folders of a gateway's pages, by the first part of a request's path. `/` leads to the
  /// first one.
  package static let folders = pageFolders + ["common"]
  /// Those of whole pages. `common` has what pages share.
  static let pageFolders = ["dashboard", "phone", "playground"]

  /// The Content-Security-Policy: a page can load nothing from other servers.
  private static let policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    + "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'; "
    + "media-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  private struct Page: Hashable {
    var contentType: String
    var tag: String
    var bytes: [UInt8]
    var gzip: [UInt8]?
  }

  private var pages: [String: Page] = [:]
  private let folders: [String]

  /// Without pages.
  package init() { folders = Self.folders }

  /// The first folder is the one to which `/` leads.
  package init(_ files: [PageFile], folders: [String] = folders) {
    self.folders = folders
    for file in files {
      guard let type = file.contentType else { continue }
      pages[file.path] = Page(contentType: type, tag: file.tag, bytes: file.bytes, gzip: file.gzip)
    }
  }

  /// What to do about a folder of pages that is missing, by its name.
  package var remedies: [String: String] = [:]

  /// Whether the phone's page is among them.
  package var hasPhone: Bool { pages["/phone/index.html"] != nil }
  /// Where `/` leads.
  var start: String { "/\(folders.first ?? "")/" }
  /// Whether the page to which `/` leads is among them: a gateway's dashboard.
  package var hasDashboard: Bool { pages[start + "index.html"] != nil }

  /// Returns the answer to a request for a page; nil if it is for something else.
  package func answer(to head: HTTPRequestHead) -> HTTPReply? {
    guard let path = RequestTarget(head.uri)?.path, !head.headers.contains(name: "upgrade")
    else { return nil }
    let isRead = head.method == .GET || head.method == .HEAD
    if path == "/" {
      // Without a dashboard, and for other methods, `/` is the address of the WebSocket alone.
      return isRead && hasDashboard ? Self.redirection(to: start) : nil
    }
    let folder = path.dropFirst().prefix { $0 != "/" }
    guard folders.contains(String(folder)) else { return nil }
    guard isRead else { return .onlyReads }
    let page = pages[path] ?? pages[path + "index.html"]
    guard let page, path.count > folder.count + 1 else {
      if pages["/\(folder)/index.html"] != nil, path == "/\(folder)" {
        return Self.redirection(to: "/\(folder)/")
      }
      return HTTPReply(404, missing(String(folder)))
    }
    return Self.reply(page, to: head.headers)
  }

  private func missing(_ folder: String) -> String {
    let isInstalled = pages.keys.contains { $0.hasPrefix("/\(folder)/") }
    if isInstalled { return "There is no such page.\n" }
    let remedy = remedies[folder].map { ": \($0)" } ?? ""
    return "The folder \(folder) is not installed with this program\(remedy).\n"
  }

  private static func redirection(to path: String) -> HTTPReply {
    var reply = HTTPReply(302, "See \(path)\n", fields: ["Location": path])
    reply.fields.add(contentsOf: protection)
    return reply
  }

  private static func reply(_ page: Page, to headers: HTTPHeaders) -> HTTPReply {
    let gzip = accepts("gzip", headers["accept-encoding"]) ? page.gzip : nil
    let tag = "\"\(page.tag)\(gzip == nil ? "" : "-gz")\""
    var fields: HTTPHeaders = ["ETag": tag]
    fields.add(contentsOf: protection)
    if page.gzip != nil { fields.add(name: "Vary", value: "Accept-Encoding") }
    guard !matches(tag, headers["if-none-match"]) else {
      var reply = HTTPReply(304, "", fields: fields)
      reply.cacheControl = "no-cache"
      return reply
    }
    if gzip != nil { fields.add(name: "Content-Encoding", value: "gzip") }
    var reply = HTTPReply(200, "", contentType: page.contentType, fields: fields)
    reply.content = gzip ?? page.bytes
    // The browser keeps it, and checks each time whether it has changed.
    reply.cacheControl = "no-cache"
    return reply
  }

  private static let protection: HTTPHeaders = [
    "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
  ]

  /// Whether a client accepts a coding (RFC 9110, 12.5.3). `*` is not enough.
  private static func accepts(_ coding: String, _ fields: [String]) -> Bool {
    items(fields).contains { item in
      let parts = item.split(separator: ";").map { part in part.filter { $0 != " " } }
      guard parts.first?.lowercased() == coding else { return false }
      // A weight of 0 refuses it.
      return !parts.dropFirst().contains { part in
        part.lowercased().hasPrefix("q=") && Double(part.dropFirst(2)) == 0
      }
    }
  }

  /// Whether a client has this version (RFC 9110, 13.1.2: the comparison is weak).
  private static func matches(_ tag: String, _ fields: [String]) -> Bool {
    items(fields).contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
  }

  /// The items of a list, without the white space around them.
  private static func items(_ fields: [String]) -> [Substring] {
    fields.flatMap { $0.split(separator: ",") }.map { Substring($0.utf8.trimmed { $0.isBlank }) }
  }
}

/// A file of the web pages that the server shows.
package struct PageFile: Hashable, Sendable {
  /// The path in a request, such as `/dashboard/dial.js`.
  package var path: String
  package var bytes: [UInt8]
  /// The same, compressed with gzip; nil if that is not shorter.
  package var gzip: [UInt8]?

  package init(path: String, bytes: [UInt8], gzip: [UInt8]? = nil) {
    self.path = path
    self.bytes = bytes
    self.gzip = gzip
  }

  /// The content types of files, by the extensions of their names. Other files are not served.
  package static let contentTypes = [
    ".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8", ".json": "application/json",
    ".svg": "image/svg+xml", ".png": "image/png", ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm", ".jsonl": "text/plain; charset=utf-8",
    ".hex": "text/plain; charset=us-ascii",
  ]

  var contentType: String? {
    path.lastIndex(of: ".").flatMap { Self.contentTypes[String(path[$0...])] }
  }

  /// A strong validator (RFC 9110, 8.8.3): the FNV-1a hash of the contents, 64 bits, and their
  /// length.
  var tag: String { String(bytes.fingerprint, radix: 16) + "-" + String(bytes.count, radix: 16) }
}
