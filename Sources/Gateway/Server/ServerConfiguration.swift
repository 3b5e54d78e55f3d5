package import NIOHTTP1

/// Where the server listens, and to whom.
package struct ServerConfiguration {
  /// For WebSocket and HTTP.
  package var webSocket: [Endpoint] = []
  /// For bare TCP.
  package var tcp: [Endpoint] = []
  package var limits = Limits()
  /// nil: in the clear. Bare TCP always is.
  package var tls: TLSFiles?
  /// Whether every message goes back to its sender instead of to the host. Nothing else is sent then,
  /// no ping either: it is for checks of the protocol.
  package var isEcho = false
  /// Asked about every request before anything else; nil: it may. The message goes to the client.
  package var authorize: (HTTPRequestHead) -> (status: Int, message: String)? = { _ in nil }

  package init() {}
}
