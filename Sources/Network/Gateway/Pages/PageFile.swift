import Sketches

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
  var tag: String {
    String(bytes.fingerprint, radix: 16) + "-" + String(bytes.count, radix: 16)
  }
}
