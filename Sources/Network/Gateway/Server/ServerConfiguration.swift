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
  /// The pictures of the session's camera; nil if it has none.
  package var camera: CameraPictures?
  /// Whether every message is returned to its sender instead of being passed to the delegate.
  /// Nothing else is sent then, not even pings. This is for tests of the protocol.
  package var isEcho = false
  /// Called for every request before anything else. Returns nil to admit it, or a message for the
  /// client.
  package var authorize: (HTTPRequestHead) -> AccessVerdict.Refusal? = { _ in nil }
  /// Called in place of `authorize` for a request for a page.
  package var authorizePage: (HTTPRequestHead) -> AccessVerdict.Refusal? = { _ in nil }

  /// The web pages. They contain no session data, so they require no token.
  package var pages = PageTable()

  package init() {}
}

extension ServerConfiguration {
  /// Makes an access policy decide on every request.
  package mutating func authorize(by policy: AccessPolicy) {
    authorize = { head in Self.judge(head) { policy.judge($0) } }
    authorizePage = { head in Self.judge(head) { policy.judgePage($0) } }
  }

  private static func judge(
    _ head: HTTPRequestHead, by judge: (AccessRequest) -> AccessVerdict
  ) -> AccessVerdict.Refusal? {
    guard let target = RequestTarget(head.uri) else { return (400, "invalid request target") }
    // If a header that is allowed once occurs several times, the joined values are invalid.
    func joined(_ name: String) -> String? {
      let values = head.headers[name]
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    let site = joined("sec-fetch-site")
    var (origin, mode) = (joined("origin"), joined("sec-fetch-mode"))
    if RequestVerdict.cameraPaths.contains(target.path) {
      // Reading the camera begins the scene, so not even a link on another site may do it. Without
      // TLS, browsers describe a request to another computer by its `Referer` only.
      mode = nil
      if site == nil, origin == nil, let page = joined("referer") {
        origin = head.headers["referer"].count > 1 ? page : Origin.text(ofPage: page)
      }
    }
    let request = AccessRequest(
      target: target, authorization: head.headers["authorization"], origin: origin,
      host: joined("host"), isForPage: !head.headers.contains(name: "upgrade"),
      isFromOtherSite: AccessRequest.isFromOtherSite(
        site: site, mode: mode, destination: joined("sec-fetch-dest")))
    return judge(request).refusal
  }
}
