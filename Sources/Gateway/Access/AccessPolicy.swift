/// Who is let in.
package struct AccessPolicy: Sendable {
  /// Empty: none is asked for.
  package var tokens: [Token] = []
  /// Whether those without a token are let in too.
  package var allowsAnonymous = false
  /// Origins whose pages are let in, as browsers write them; `null` for pages that hide theirs.
  package var allowedOrigins: [String] = []
  /// Whether clients come over TLS.
  package var isTLS = false

  package init() {}

  package func judge(_ request: AccessRequest) -> AccessVerdict {
    if let refusal = judgeOrigin(request) { return refusal }
    guard !tokens.isEmpty else { return .allowed }
    return judgeToken(request)
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
    // name. An address, `localhost` and the names of the local network they cannot.
    if let host = request.host,
      let own = Origin(scheme: isTLS ? "https" : "http", authority: host),
      own.isLocalByName, own == origin
    {
      return nil
    }
    return .forbidden("pages from this origin are not let in; `--allow-origin ORIGIN` would")
  }

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
