/// The origin of a page in a browser, as in the `Origin` header (RFC 6454, 6.1):
/// `scheme://host[:port]`. Two equivalent origins are equal.
package struct Origin: Hashable, Sendable {
  /// In lower case.
  package let scheme: String
  /// In lower case. An IPv6 address is in brackets.
  package let host: String
  /// nil if no port was given and the scheme has no default.
  package let port: Int?

  private static let defaultPorts = ["http": 80, "https": 443, "ws": 80, "wss": 443]

  /// Parses exactly the form that a browser sends; nil for anything else. A path is not allowed,
  /// not even `/`. `null` is not an origin.
  package init?(_ text: String) {
    guard let end = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<end.lowerBound]
    guard scheme.utf8.first?.isLetter == true,
      scheme.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) })
    else { return nil }
    self.init(scheme: scheme.lowercased(), authority: text[end.upperBound...])
  }

  /// Parses the `HOST[:PORT]` of a `Host` header, for a page with that scheme; in lower case.
  package init?(scheme: String, authority: some StringProtocol) {
    var host = Substring(authority)
    var port = Self.defaultPorts[scheme]
    let afterBrackets = host.lastIndex(of: "]") ?? host.startIndex
    if let colon = host[afterBrackets...].lastIndex(of: ":") {
      let digits = host[host.index(after: colon)...]
      guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ $0.isDigit }),
        let number = Int(digits), number <= 65_535
      else { return nil }
      port = number
      host = host[..<colon]
    }
    guard Self.isHost(host) else { return nil }
    self.scheme = scheme
    self.host = host.lowercased()
    self.port = port
  }

  /// Parses the `HOST:PORT` of a `Host` header of a client with such an origin. Starscream leaves
  /// out the brackets of an IPv6 address, and always gives the port.
  package init?(scheme: String, clientAuthority: String) {
    let parts = clientAuthority.split(separator: ":", omittingEmptySubsequences: false)
    let isBare = parts.count > 2 && !clientAuthority.hasPrefix("[")
    let host = parts.dropLast().joined(separator: ":")
    self.init(scheme: scheme, authority: isBare ? "[\(host)]:\(parts.last!)" : clientAuthority)
  }

  /// Whether no page has such an origin: it is the address that a WebSocket client opens, which
  /// some clients send as theirs, such as Starscream.
  package var isOfClient: Bool { scheme == "ws" || scheme == "wss" }

  /// Whether the host is an IP address or `localhost`, which no other computer can redirect.
  package var isAddressOrLocalhost: Bool { host.hasPrefix("[") || host == "localhost" || isIPv4 }

  /// Whether the host is a name of the local network (mDNS, RFC 6762), where any computer can
  /// answer for any name.
  package var isLocalName: Bool { host.hasSuffix(".local") }

  private var isIPv4: Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { $0.isDigit }
          && UInt8(part) != nil
      }
  }

  /// Returns the part of a page's address that is its origin; all of it if it has none.
  package static func text(ofPage address: String) -> String {
    guard let scheme = address.firstRange(of: "://"),
      let path = address[scheme.upperBound...].firstIndex(of: "/")
    else { return address }
    return String(address[..<path])
  }

  /// Checks an IPv6 address only as far as necessary to tell it from a name.
  private static func isHost(_ text: Substring) -> Bool {
    if text.hasPrefix("[") {
      let inside = text.dropFirst().dropLast()
      return text.hasSuffix("]") && inside.contains(":")
        && inside.utf8.allSatisfy {
          $0.hexDigit != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    return !text.isEmpty
      && text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-._~".utf8.contains($0) }
  }
}
