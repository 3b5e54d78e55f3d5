package import NIOHTTP1

/// The target of a request, such as `/events?token=...`, or the same after `http://HOST`, as sent
/// to a proxy (RFC 9112, 3.2.2).
package struct RequestTarget: Hashable, Sendable {
  /// The value of a name in the query.
  package enum Item: Hashable, Sendable {
    case absent
    case value(String)
    case repeated
    /// The percent-encoding is invalid, or the decoded value is not UTF-8.
    case malformed
  }

  /// The path as received, without the query. It can contain a token, because some clients put
  /// parameters into the path.
  package let path: String
  /// The part after the `?` as received; nil if there is no `?`. It can contain a token.
  package let query: String?
  /// The host and port in the target itself, which take precedence over the `Host` header.
  package let authority: String?

  /// `/`, without a query.
  package init() {
    path = "/"
    query = nil
    authority = nil
  }

  /// nil if it is not a valid target, or is the target of a `CONNECT` request.
  package init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
    else { return nil }
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    query = parts.count == 2 ? String(parts[1]) : nil
    let place = parts[0]
    if place.hasPrefix("/") || text == "*" {
      authority = nil
      path = String(place)
      return
    }
    guard
      let scheme = ["http://", "https://", "ws://", "wss://"].first(where: {
        place.prefix($0.count).lowercased() == $0
      })
    else { return nil }
    let rest = place.dropFirst(scheme.count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard slash > rest.startIndex else { return nil }
    authority = String(rest[..<slash])
    path = slash == rest.endIndex ? "/" : String(rest[slash...])
  }

  /// The query's value for `name`. Items have the form `a=b` or `a` (an empty value), and are
  /// separated by `&`. A `+` is a plus sign: no token contains a space, and people who type a plus
  /// sign do not encode it.
  package func item(_ name: String) -> Item {
    var found = Item.absent
    for item in query?.split(separator: "&") ?? [] {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard Self.decoded(parts[0]) == name else { continue }
      guard found == .absent else { return .repeated }
      let value = Self.decoded(parts.count == 2 ? parts[1] : "")
      found = value.map { .value($0) } ?? .malformed
    }
    return found
  }

  /// Decodes percent-encoding (RFC 3986, 2.1). nil if it is invalid or the result is not UTF-8.
  package static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension RequestTarget: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The path without a token and without the query, which can contain one.
  package var description: String { TokenMask.masked(path) }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["path": description]) }
}

extension HTTPRequestHead {
  /// Removes the white space around each field's value, which is not part of the value (RFC 9110,
  /// 5.5). The decoder leaves a trailing tab.
  package var trimmed: HTTPRequestHead {
    var head = self
    head.headers = HTTPHeaders(
      headers.map { ($0.name, String(Substring($0.value.utf8.trimmed { $0.isBlank }))) })
    return head
  }
}
