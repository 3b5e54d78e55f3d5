package import NIOHTTP1

/// Where the server listens, and which clients it admits.
package struct ServerConfiguration {
  /// For WebSocket and HTTP.
  package var webSocket: [Endpoint] = []
  /// For bare TCP.
  package var tcp: [Endpoint] = []
  package var limits = Limits()
  /// nil for no encryption. Bare TCP is never encrypted.
  package var tls: TLSFiles?
  /// What is shown on a terminal, so that a phone can connect; nil for nothing.
  package var invitation: PhoneInvitation?
  /// The detector to which pictures are passed; nil for none.
  package var detector: DetectorPlan?
  /// Whether every message is returned to its sender instead of being passed to the delegate.
  /// Nothing else is sent then, not even pings. This is for tests of the protocol.
  package var isEcho = false
  /// Called for every request before anything else. Returns nil to admit it, or a message for the
  /// client.
  package var authorize: (HTTPRequestHead) -> (status: Int, message: String)? = { _ in nil }

  /// The web pages. They contain no session data, so they require no token.
  package var pages = PageTable()
  /// Called in place of `authorize` for a request for a page.
  package var authorizePage: (HTTPRequestHead) -> (status: Int, message: String)? = { _ in nil }

  package init() {}
}
