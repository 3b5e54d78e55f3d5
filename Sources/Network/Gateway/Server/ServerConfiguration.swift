package import NIOHTTP1
package import Sketches

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

/// How much of the bench's resources one client, and all of them together, can use.
package struct Limits: Hashable, Sendable {
  /// Simultaneous connections, including watchers.
  package var clientsMax = 64
  /// Bytes of one message, over all its fragments.
  package var messageBytesMax = 65_536
  /// Bytes of a binary message of a client that sends pictures, over all its fragments. More than a
  /// picture can have, so that a picture that is too large still gets an answer.
  package var pictureMessageBytesMax = 1_000_000
  /// Messages a second from one client, which can save up the unused ones of one second. nil for no
  /// limit.
  package var messagesPerSecondMax: Int? = 10_000
  /// Bytes waiting for a client that does not read. Above this, the client is closed.
  package var outboundBytesMax = 262_144
  /// Bytes of a request before its upgrade.
  package var requestBytesMax = 16_384
  /// The time from the connection, including the TLS handshake, until the request is complete.
  package var requestTime = Interval.seconds(5)
  /// A client from which nothing has arrived for this long is closed; an answer to a ping counts.
  /// nil for no limit.
  package var idleTime: Interval? = .seconds(300)
  /// How often a ping is sent. A client that has not answered any for `pongTime` counts as gone.
  package var pingPeriod = Interval.milliseconds(500)
  package var pongTime = Interval.seconds(2)
  /// The timeout for a closing handshake.
  package var closeTime = Interval.seconds(1)
  /// The slowest connection over which a page can still be received, in bytes a second.
  package var pageBytesPerSecondMin = 32_768

  package init() {}

  /// How long a client can take to receive this many bytes, and to close.
  func time(toSend count: Int) -> Interval {
    closeTime + .milliseconds(Int64(count) * 1_000 / Int64(max(pageBytesPerSecondMin, 1)))
  }
}

/// What a person needs to connect a phone's browser to the server: the address with the token, and
/// the certificate's fingerprint. It contains a secret, so it is shown only on a terminal.
package struct PhoneInvitation: Sendable {
  /// SHA-256.
  package var fingerprint: String
  package var names: CertificateNames
  /// nil if the server requires none.
  package var token: Token?
  /// Where the addresses lead: `/phone`, or `/` if that page is not installed.
  package var path: String

  package init(
    fingerprint: String, names: CertificateNames, token: Token?, path: String = "/phone"
  ) {
    self.fingerprint = fingerprint
    self.names = names
    self.token = token
    self.path = path
  }

  /// The addresses of the page, best first.
  package func pages(at endpoints: [Endpoint]) -> [String] {
    // The part after the `#` stays in the browser: it is never in a request or a log.
    let secret = token.map { "#token=\($0.encoded)" } ?? ""
    return names.reachable(at: endpoints).map { "https://\($0)\(path)" + secret }
  }

  /// The text for the terminal. `pages`: what `pages(at:)` returns.
  package func text(for pages: [String]) -> String {
    """
    The address for a browser\(token == nil ? "" : ", with a token"):
      \(pages.joined(separator: "\n  "))
    The browser warns of the certificate, because this computer signed it. Accept it only if its
    SHA-256 fingerprint is
      \(fingerprint.prefix(47))
      \(fingerprint.dropFirst(48))
    """
  }
}

extension PhoneInvitation: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  package var description: String { "an invitation" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
