package import Sketches

/// The target of the commands: `ws://HOST:PORT/PATH`, `wss://HOST:PORT/PATH` or `tcp://HOST:PORT`.
package struct SenderTarget: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case webSocket = "ws"
    /// WebSocket over TLS.
    case secureWebSocket = "wss"
    /// Only the commands' bytes.
    case tcp
  }

  package static let form =
    "ws://HOST:PORT/PATH, wss://HOST:PORT/PATH or tcp://HOST:PORT; a token follows the path, "
    + "?token=TOKEN"

  package let kind: Kind
  package let endpoint: Endpoint
  /// The path and query that a WebSocket requests; the query can contain a token. `/` if none was
  /// given.
  let request: RequestTarget
  /// For `wss`: a PEM file with the only certificates that can vouch for the server's; nil for
  /// those that this computer trusts.
  package var authorities: String?
  /// The value of the `Authorization` field; nil if there is none.
  private(set) var authorization: String?

  /// - Throws: `usage`, with what was expected. The message contains no part of the query.
  package init(_ text: String, authorities: String? = nil) throws(NetworkError) {
    guard let mark = text.firstRange(of: "://"),
      let kind = Kind(rawValue: text[..<mark.lowerBound].lowercased())
    else { throw Self.failure("the target must begin with ws://, wss:// or tcp://") }
    let rest = text[mark.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard let endpoint = Endpoint(String(rest[..<end])), endpoint.port != 0,
      endpoint.host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "@") })
    else { throw Self.failure("\(kind.rawValue):// must be followed by a host and a port") }
    if kind == .tcp, end != rest.endIndex, rest[end...] != "/" {
      throw Self.failure("bare TCP has no path and no token")
    }
    let path = rest[end...]
    guard let request = RequestTarget(path.hasPrefix("/") ? String(path) : "/\(path)") else {
      throw Self.failure("a path is printable ASCII without spaces and #")
    }
    guard kind == .secureWebSocket || authorities == nil else {
      throw Self.failure("certificates are for wss:// only")
    }
    self.kind = kind
    self.endpoint = endpoint
    self.request = request
    self.authorities = authorities
  }

  /// Bare TCP.
  init(tcp endpoint: Endpoint) {
    kind = .tcp
    self.endpoint = endpoint
    request = RequestTarget()
  }

  /// Whether it is `ws://HOST:PORT`, without a path and a query.
  package var isPlainWebSocket: Bool {
    kind == .webSocket && request.path == "/" && request.query == nil
  }

  /// Makes each handshake present the token.
  /// - Throws: `usage` if the target has no handshake.
  package mutating func present(_ token: Token) throws(NetworkError) {
    guard kind != .tcp else { throw Self.failure("bare TCP has no path and no token") }
    guard request.query?.contains("token=") != true else {
      throw Self.failure("the address already contains a token")
    }
    authorization = token.bearer
  }

  /// The TLS of a connection; nil if it has none.
  /// - Throws: `noInput` or `malformed`, naming the certificate file.
  package func layer(closeTime: Interval) throws(NetworkError) -> TLSLayer? {
    kind == .secureWebSocket
      ? try TLSLayer.trusting(authorities: authorities, closeTime: closeTime) : nil
  }

  private static func failure(_ what: String) -> NetworkError {
    NetworkError(.usage, "error: \(what): \(form)")
  }
}

extension SenderTarget: CustomStringConvertible {
  /// Without the query, and without a token in the path.
  package var description: String {
    "\(kind.rawValue)://\(endpoint)" + (kind == .tcp ? "" : "\(request)")
  }
}
