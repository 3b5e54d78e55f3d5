package import NIOCore
import NIOHTTP1

/// A complete answer to an HTTP request. It is always the last one on its connection, so a body or
/// a second request need not be parsed.
///
/// It writes itself, because some answers are sent when the pipeline has no HTTP handler (yet).
package struct HTTPReply: Hashable, Sendable {
  package struct Field: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package var status: Int
  /// Additional header fields.
  package var fields: [Field]
  package var contentType: String
  package var body: String

  package init(
    _ status: Int, _ body: String, contentType: String = "text/plain; charset=utf-8",
    fields: [Field] = []
  ) {
    self.status = status
    self.body = body
    self.contentType = contentType
    self.fields = fields
  }

  /// - Parameter isHead: whether the request was HEAD. The length is then sent without the body.
  package func bytes(isHead: Bool) -> ByteBuffer {
    let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
    var head = "HTTP/1.1 \(status) \(reason)\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    head += "Content-Type: \(contentType)\r\n"
    head += "Content-Length: \(body.utf8.count)\r\n"
    // An `Upgrade` field must be named in `Connection` (RFC 9110, 7.8).
    let connection = fields.contains { $0.name == "Upgrade" } ? "close, upgrade" : "close"
    head += "Cache-Control: no-store\r\nConnection: \(connection)\r\n\r\n"
    return ByteBuffer(string: isHead ? head : head + body)
  }
}
