package import NIOCore
package import NIOHTTP1

/// A complete answer to an HTTP request. It is always the last one on its connection, so a body or
/// a second request need not be parsed.
///
/// It is serialized here, because some answers are sent when the pipeline has no HTTP handler
/// (yet).
package struct HTTPReply: Equatable, Sendable {
  package var status: Int
  /// Additional header fields.
  package var fields: HTTPHeaders
  package var contentType: String
  /// The body.
  package var content: [UInt8]
  package var cacheControl = "no-store"

  package init(
    _ status: Int, _ body: String, contentType: String = "text/plain; charset=utf-8",
    fields: HTTPHeaders = [:]
  ) {
    self.status = status
    content = Array(body.utf8)
    self.contentType = contentType
    self.fields = fields
  }

  /// A refusal of what can succeed a second later.
  package static func busy(_ sentence: String) -> HTTPReply {
    HTTPReply(503, sentence + "\n", fields: ["Retry-After": "1"])
  }

  /// The refusal of a method that a page does not have.
  static let onlyReads = HTTPReply(
    405, "Only GET and HEAD are allowed.\n", fields: ["Allow": "GET, HEAD"])

  package var body: String { String(decoding: content, as: UTF8.self) }
  /// The body of a refusal, without its newline.
  package var sentence: String { String(body.dropLast()) }

  /// - Parameter isHead: whether the request was HEAD. The length is then sent without the body.
  package func bytes(isHead: Bool) -> ByteBuffer {
    var buffer = head(length: content.count)
    if !isHead { buffer.writeBytes(content) }
    return buffer
  }

  /// The status line and the header fields, for a body of `length` bytes; nil for one that ends
  /// with the connection.
  package func head(length: Int?) -> ByteBuffer {
    let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
    var head = "HTTP/1.1 \(status) \(reason)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    // A 304 refers to content that the client already has, with its type and length.
    if status != 304 {
      head += "Content-Type: \(contentType)\r\n"
      if let length { head += "Content-Length: \(length)\r\n" }
    }
    // An `Upgrade` field must be named in `Connection` (RFC 9110, 7.8).
    let connection = fields.contains(name: "Upgrade") ? "close, upgrade" : "close"
    head += "Cache-Control: \(cacheControl)\r\nConnection: \(connection)\r\n"
    // A page of another site that shows this as an image or runs it as a script gets an error,
    // whatever the answer is.
    head += "Cross-Origin-Resource-Policy: same-origin\r\n\r\n"
    return ByteBuffer(string: head)
  }
}
