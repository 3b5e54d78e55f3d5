/// Who is let in.
package struct AccessPolicy: Sendable {
  /// Empty: none is asked for.
  package var tokens: [Token] = []
  /// Whether those without a token are let in too.
  package var allowsAnonymous = false
  /// Origins whose pages are let in, as browsers write them; `null` for pages that hide theirs.
  package var allowedOrigins: [String] = []
  /// Hosts that the server is known by, as it listens on them.
  package var ownHosts: [String] = []
  /// This computer's name on the local network, `NAME.local`; nil: it has none.
  package var localName: String?
  /// Whether clients come over TLS.
  package var isTLS = false

  package init() {}

  package func judge(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) { return refusal }
    let verdict = tokens.isEmpty ? .allowed : judgeToken(request)
    // With a token it is no stranger.
    guard verdict == .anonymous || verdict == .allowed && tokens.isEmpty else { return verdict }
    return judgeHost(request) ?? verdict
  }

  /// A page whose name was made to point here reads this server as its own, and its browser then says no
  /// origin. But it says the name, and no WebSocket can be opened so.
  private func judgeHost(_ request: AccessRequest) -> AccessVerdict? {
    guard request.isForPage, request.origin == nil, let text = request.host else { return nil }
    guard let own = Origin(scheme: "http", authority: text) else {
      return .forbidden("the Host header is not a host")
    }
    let known = listenedHosts + allowedOrigins.compactMap { Origin($0)?.host }
    if isOwn(own) || known.contains(own.host) { return nil }
    let origin = "\(isTLS ? "https" : "http")://\(own.host)"
    return .forbidden(
      "the server is not known by this name: use its IP address"
        + (tokens.isEmpty ? "" : ", give a token,") + " or start it with `--allow-origin \(origin)`"
    )
  }

  /// A browser lets any page open a connection to any address, loopback included, and says where the
  /// page comes from. What is no browser says nothing, and could say anything.
  private func judgeOrigin(_ request: AccessRequest) -> AccessVerdict? {
    guard let text = request.origin else { return nil }
    guard let origin = Origin(text) else {
      // Frames in a sandbox and local files: anybody can have one.
      if text == "null" {
        return allowedOrigins.contains("null")
          ? nil : .forbidden("pages without an origin are not let in; `--allow-origin null` would")
      }
      return .forbidden("the Origin header is not an origin")
    }
    if allowedOrigins.contains(where: { Origin($0) == origin }) { return nil }
    // A page that this very server gave out. Under a name that others own this proves nothing: they
    // can make it point to 127.0.0.1 once their page is loaded, and page and server then have the same
    // name.
    if let host = request.host,
      let own = Origin(scheme: isTLS ? "https" : "http", authority: host),
      isOwn(own), own == origin
    {
      return nil
    }
    return .forbidden("pages from this origin are not let in; `--allow-origin ORIGIN` would")
  }

  /// Whether no other computer can make this host point somewhere else. Any computer on the network
  /// can answer for a `.local` name; the one that this computer answers for, or is said to listen
  /// on, is its own.
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
        : .unauthorized("a token is wanted: `Authorization: Bearer TOKEN`, or `?token=TOKEN`")
    }
    // All are compared: which one matched must not show either.
    let bytes = Array(given.utf8)
    var matches = false
    for token in tokens {
      let isThis = token.matches(bytes)
      matches = isThis || matches
    }
    return matches ? .allowed : .unauthorized("the token is not one that is taken here")
  }

  /// The token of `Bearer TOKEN` (RFC 6750, 2.1); the scheme's name in any case (RFC 9110, 11.1).
  private static func bearer(_ header: String) -> String? {
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
    return String(parts[1])
  }
}
