/// What of a request decides whether it is let in. Nothing prints it: there is a token in it.
///
/// Of `Origin` and `Host` there may be one each. Where a header came several times, its values joined
/// with `, ` parse as none and are refused.
package struct AccessRequest: Sendable {
  /// The values of all `Authorization` headers.
  package var authorization: [String]
  /// The query's `token`, decoded; nil: there is none.
  package var queryToken: String?
  /// The query has something for a token that is none: repeated, or wrongly encoded.
  package var hasUnreadableToken: Bool
  package var origin: String?
  package var host: String?
  /// Whether it asks for a page and no WebSocket: then a browser need not say where it comes from.
  package var isForPage: Bool

  package init(
    authorization: [String] = [], queryToken: String? = nil, hasUnreadableToken: Bool = false,
    origin: String? = nil, host: String? = nil, isForPage: Bool = false
  ) {
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
    isForPage: Bool = false
  ) {
    self.init(
      authorization: authorization, origin: origin, host: target.authority ?? host,
      isForPage: isForPage)
    switch target.item("token") {
    case .absent: break
    case .value(let value): queryToken = value
    case .repeated, .malformed: hasUnreadableToken = true
    }
  }
}

extension AccessRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "a request" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
