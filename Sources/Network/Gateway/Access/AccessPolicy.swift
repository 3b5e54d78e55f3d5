package import Engine

/// Decides which requests are admitted.
package struct AccessPolicy: Sendable {
  /// If empty, no token is required.
  package var tokens: [Token] = []
  /// Whether requests without a token are also admitted.
  package var allowsAnonymous = false
  /// The origins whose pages are admitted, as browsers write them; `null` for pages that hide
  /// theirs.
  package var allowedOrigins: [String] = []
  /// The hosts on which the server listens, as given.
  package var ownHosts: [String] = []
  /// This computer's name on the local network, `NAME.local`; nil if it has none.
  package var localName: String?
  /// Whether clients use TLS.
  package var isTLS = false

  package init() {}

  func judge(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) { return refusal }
    let verdict = tokens.isEmpty ? .allowed : judgeToken(request)
    // A request with a token is trusted.
    guard verdict == .anonymous || verdict == .allowed && tokens.isEmpty else { return verdict }
    return judgeHost(request) ?? verdict
  }

  /// Judges a request for a page that contains no session data: its host and its origin are
  /// checked, and a token is ignored.
  func judgePage(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) ?? judgeHost(request, canGiveToken: false) {
      return refusal
    }
    return .allowed
  }

  /// A page whose name was redirected to this server counts the server as its own origin, so its
  /// browser sends no `Origin` header. But the browser does send the name, and cannot open a
  /// WebSocket this way.
  private func judgeHost(_ request: AccessRequest, canGiveToken: Bool = true) -> AccessVerdict? {
    guard request.isForPage, request.origin == nil, let text = request.host else { return nil }
    guard let own = Origin(scheme: "http", authority: text) else {
      return .forbidden("the Host header is not a host")
    }
    let known = listenedHosts + allowedOrigins.compactMap { Origin($0)?.host }
    if isOwn(own) || known.contains(own.host) { return nil }
    let origin = "\(isTLS ? "https" : "http")://\(own.host)"
    return .forbidden(
      "the server is not known by this name: use its IP address"
        + (tokens.isEmpty || !canGiveToken ? "" : ", give a token,")
        + " or start it with `--allow origin=\(origin)`"
    )
  }

  /// A browser lets any page connect to any address, including loopback, and sends the page's
  /// origin. A program other than a browser sends no origin, and could send any.
  private func judgeOrigin(_ request: AccessRequest) -> AccessVerdict? {
    guard let text = request.origin else {
      // Without this, such a page could find out which files this server has.
      return request.isFromOtherSite
        ? .forbidden("pages of other sites cannot use this server's resources") : nil
    }
    guard let origin = Origin(text) else {
      // Sandboxed frames and local files have this origin, so any page can get it.
      if text == "null" {
        return allowedOrigins.contains("null")
          ? nil
          : .forbidden("pages without an origin are not allowed; `--allow origin=null` allows them")
      }
      return .forbidden("the Origin header is not an origin")
    }
    if allowedOrigins.contains(where: { Origin($0) == origin }) { return nil }
    // The page was served by this server. That proves nothing under a name that others control:
    // they can redirect it to 127.0.0.1 once their page is loaded, and then the page and the server
    // have the same name. Some clients that are no browsers send the address that they open.
    if let host = request.host,
      let own = origin.isOfClient
        ? Origin(scheme: origin.scheme, clientAuthority: host)
        : Origin(scheme: isTLS ? "https" : "http", authority: host),
      isOwn(own), own == origin
    {
      return nil
    }
    return .forbidden("pages from this origin are not allowed; `--allow origin=ORIGIN` allows them")
  }

  /// Whether no other computer can redirect this host. Any computer on the network can answer for a
  /// `.local` name; only this computer's own name, and the names on which it listens, belong to it.
  private func isOwn(_ origin: Origin) -> Bool {
    origin.isAddressOrLocalhost || origin.host == localName?.lowercased()
      || origin.isLocalName && listenedHosts.contains(origin.host)
  }

  private var listenedHosts: [String] { ownHosts.map { $0.lowercased() } }

  private func judgeToken(_ request: AccessRequest) -> AccessVerdict {
    if request.hasUnreadableToken {
      return .unauthorized("the query's token is repeated or wrongly encoded")
    }
    guard request.authorization.count <= 1 else {
      return .unauthorized("more than one Authorization header")
    }
    var given = request.queryToken
    if let header = request.authorization.first {
      guard let bearer = Self.bearer(header) else {
        return .unauthorized("the Authorization header is not `Bearer TOKEN`")
      }
      guard given == nil || given == bearer else {
        return .unauthorized("the tokens in header and query differ")
      }
      given = bearer
    }
    guard let given else {
      return allowsAnonymous
        ? .anonymous
        : .unauthorized("a token is required: `Authorization: Bearer TOKEN`, or `?token=TOKEN`")
    }
    // Compares all of them, so that the time taken does not reveal which one matched.
    let bytes = Array(given.utf8)
    var matches = false
    for token in tokens {
      let isThis = token.matches(bytes)
      matches = isThis || matches
    }
    return matches ? .allowed : .unauthorized("the token is not accepted here")
  }

  /// The token in `Bearer TOKEN` (RFC 6750, 2.1). The name of the scheme is not case-sensitive (RFC
  /// 9110, 11.1).
  private static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}

extension AccessPolicy {
  /// Checks that listening there is safe or explicitly permitted, and returns the notices to print
  /// at the start. An address that other computers can reach requires tokens, or an option that
  /// explicitly allows anonymous clients.
  package func check(
    listening endpoint: Endpoint, transport: Transport
  ) throws(NetworkError) -> [String] {
    switch transport {
    case .webSocket: try checkOrigins() + checkWebSocket(endpoint)
    case .tcp: try checkTCP(endpoint)
    }
  }

  /// A notice to print at the start that is not a warning; nil if there is none.
  package func note(listening endpoint: Endpoint, transport: Transport) -> String? {
    guard transport == .tcp, endpoint.isLoopback, !isGuarded else { return nil }
    return openTCP(endpoint)
  }

  /// Whether clients without a token are refused.
  private var isGuarded: Bool { !tokens.isEmpty && !allowsAnonymous }

  private func checkOrigins() throws(NetworkError) -> [String] {
    for text in allowedOrigins where text != "null" && Origin(text) == nil {
      throw NetworkError(
        .usage,
        "error: --allow origin=\(text): not an origin; expected SCHEME://HOST or "
          + "SCHEME://HOST:PORT and nothing after it, such as https://turret.example")
    }
    guard allowedOrigins.contains("null") else { return [] }
    return ["--allow origin=null lets in every page that hides its origin, and any page can"]
  }

  private func checkWebSocket(_ endpoint: Endpoint) throws(NetworkError) -> [String] {
    guard !endpoint.isLoopback else { return [] }
    if allowsAnonymous {
      let warning =
        "anyone who can reach \(endpoint) can move the turret: --allow anonymous accepts clients "
        + "without a token"
      return [warning] + plainWarning(endpoint)
    }
    guard !tokens.isEmpty else {
      throw NetworkError(
        .usage,
        "error: \(endpoint) can be reached from other computers, and anyone who reaches it can "
          + "move the turret: give `--token-file FILE` with one token per line "
          + "(`openssl rand -hex 16 > FILE`), or `--allow anonymous` to accept everybody")
    }
    return plainWarning(endpoint)
  }

  private func checkTCP(_ endpoint: Endpoint) throws(NetworkError) -> [String] {
    if endpoint.isLoopback { return isGuarded ? [openTCP(endpoint) + ", without a token"] : [] }
    guard allowsAnonymous else {
      throw NetworkError(
        .usage,
        "error: \(endpoint) can be reached from other computers, and bare TCP cannot send a token: "
          + "give `--allow anonymous` to let everybody in, listen on 127.0.0.1, or use WebSocket "
          + "with `--listen HOST:PORT --token-file FILE`")
    }
    return [openTCP(endpoint)]
  }

  private func openTCP(_ endpoint: Endpoint) -> String {
    let who = endpoint.isLoopback ? "on this computer" : "that can reach it"
    // If the port is 0, the system chooses one; a script must not read 0 as the port to connect to.
    let place = endpoint.port == 0 ? "on \(endpoint.host)" : "at \(endpoint)"
    return "bare TCP has no access control: any program \(who) can move the turret \(place)"
  }

  private func plainWarning(_ endpoint: Endpoint) -> [String] {
    guard !tokens.isEmpty, !isTLS else { return [] }
    return [
      "tokens go to \(endpoint) in plain text and can be read on the way: --tls encrypts them"
    ]
  }
}

/// Whether a request is admitted, and if not, why.
package enum AccessVerdict: Hashable, Sendable {
  case allowed
  /// Admitted without a token, although the server has tokens.
  case anonymous
  /// Refused with status 401 and `WWW-Authenticate: ` followed by `challenge`.
  case unauthorized(String)
  /// Refused with status 403.
  case forbidden(String)

  package static let challenge = "Bearer"

  /// The status and the sentence of the answer; nil if it is admitted.
  package typealias Refusal = (status: Int, message: String)

  package var refusal: Refusal? {
    switch self {
    case .allowed, .anonymous: nil
    case .unauthorized(let message): (401, message)
    case .forbidden(let message): (403, message)
    }
  }
}

/// The parts of a request that decide whether it is admitted. It is never printed, because it
/// contains a token.
///
/// A request must have at most one `Origin` and one `Host` header. If one occurs several times, its
/// values joined with `, ` cannot be parsed, and the request is refused.
struct AccessRequest: Sendable {
  /// The values of all `Authorization` headers.
  var authorization: [String] = []
  /// The decoded `token` of the query; nil if there is none.
  var queryToken: String?
  /// Whether the query's token is invalid: repeated, or wrongly encoded.
  var hasUnreadableToken = false
  var origin: String?
  var host: String?
  /// Whether it requests a page instead of a WebSocket. For a page, a browser need not send an
  /// origin.
  var isForPage = false
  /// Whether a browser made it for a page of another site, not because somebody opened an address
  /// or followed a link.
  var isFromOtherSite = false
}

extension AccessRequest {
  /// A request for `target` with these headers.
  init(
    target: RequestTarget, authorization: [String], origin: String?, host: String?,
    isForPage: Bool = false, isFromOtherSite: Bool = false
  ) {
    self.init(
      authorization: authorization, origin: origin, host: target.authority ?? host,
      isForPage: isForPage, isFromOtherSite: isFromOtherSite)
    switch target.item("token") {
    case .absent: break
    case .value(let value): queryToken = value
    case .repeated, .malformed: hasUnreadableToken = true
    }
  }

  /// Whether the fields with which browsers describe a request (Fetch Metadata, `Sec-Fetch-...`)
  /// mean that a page of another site made it. Another port of this computer is another site here.
  /// Programs that are not browsers do not send them.
  static func isFromOtherSite(site: String?, mode: String?, destination: String?) -> Bool {
    guard let site, site != "same-origin", site != "none" else { return false }
    return !(mode == "navigate" && destination == "document")
  }
}

extension AccessRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "a request" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
