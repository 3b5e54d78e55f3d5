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

  package func judge(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) { return refusal }
    let verdict = tokens.isEmpty ? .allowed : judgeToken(request)
    // A request with a token is trusted.
    guard verdict == .anonymous || verdict == .allowed && tokens.isEmpty else { return verdict }
    return judgeHost(request) ?? verdict
  }

  /// Judges a request for a page that contains no session data: its host and its origin are
  /// checked, and a token is ignored.
  package func judgePage(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) ?? judgeHost(request, canGiveToken: false) {
      return refusal
    }
    return .allowed
  }

  /// A page whose name was redirected to this server counts the server as its own origin, so its
  /// browser sends no `Origin` header. But the browser does send the name, and cannot open a
  /// WebSocket this way.
  private func judgeHost(
    _ request: AccessRequest, canGiveToken: Bool = true
  ) -> AccessVerdict? {
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
        + " or start it with `--allow-origin \(origin)`"
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
          : .forbidden("pages without an origin are not allowed; `--allow-origin null` allows them")
      }
      return .forbidden("the Origin header is not an origin")
    }
    if allowedOrigins.contains(where: { Origin($0) == origin }) { return nil }
    // The page was served by this server. That proves nothing under a name that others control:
    // they can redirect it to 127.0.0.1 once their page is loaded, and then the page and the server
    // have the same name.
    if let host = request.host,
      let own = Origin(scheme: isTLS ? "https" : "http", authority: host),
      isOwn(own), own == origin
    {
      return nil
    }
    return .forbidden("pages from this origin are not allowed; `--allow-origin ORIGIN` allows them")
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
