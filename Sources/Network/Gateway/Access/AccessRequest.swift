/// The parts of a request that decide whether it is admitted. It is never printed, because it
/// contains a token.
///
/// A request must have at most one `Origin` and one `Host` header. If one occurs several times, its
/// values joined with `, ` cannot be parsed, and the request is refused.
package struct AccessRequest: Sendable {
  /// The values of all `Authorization` headers.
  package var authorization: [String]
  /// The decoded `token` of the query; nil if there is none.
  package var queryToken: String?
  /// Whether the query's token is invalid: repeated, or wrongly encoded.
  package var hasUnreadableToken: Bool
  package var origin: String?
  package var host: String?
  /// Whether it requests a page instead of a WebSocket. For a page, a browser need not send an
  /// origin.
  package var isForPage: Bool
  /// Whether a browser made it for a page of another site, not because somebody opened an address
  /// or followed a link.
  package var isFromOtherSite: Bool

  package init(
    authorization: [String] = [], queryToken: String? = nil, hasUnreadableToken: Bool = false,
    origin: String? = nil, host: String? = nil, isForPage: Bool = false,
    isFromOtherSite: Bool = false
  ) {
    self.isFromOtherSite = isFromOtherSite
    self.authorization = authorization
    self.queryToken = queryToken
    self.hasUnreadableToken = hasUnreadableToken
    self.origin = origin
    self.host = host
    self.isForPage = isForPage
  }

  /// A request for `target` with these headers.
  package init(
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
}

extension AccessRequest {
  /// Whether the fields with which browsers describe a request (Fetch Metadata, `Sec-Fetch-...`)
  /// mean that a page of another site made it. Another port of this computer is another site here.
  /// Programs that are not browsers do not send them.
  package static func isFromOtherSite(site: String?, mode: String?, destination: String?) -> Bool {
    guard let site, site != "same-origin", site != "none" else { return false }
    return !(mode == "navigate" && destination == "document")
  }
}

extension AccessRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "a request" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
