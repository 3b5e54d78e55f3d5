/// The target of a request, `/events?token=...`, or the same behind `http://HOST` as a proxy gets it
/// (RFC 9112, 3.2.2).
package struct RequestTarget: Hashable, Sendable {
  /// What the query says of one name.
  package enum Item: Hashable, Sendable {
    case absent
    case value(String)
    case repeated
    /// Its percent-encoding is wrong, or what it gives is not UTF-8.
    case malformed
  }

  /// As it came, without the query. A token may be in it: some clients put parameters into the
  /// path.
  package let path: String
  /// What is behind the `?`, as it came; nil: no `?`. A token may be in it.
  package let query: String?
  /// The host and port in the target itself, which then count instead of the `Host` header's.
  package let authority: String?

  /// nil: no target, or one of `CONNECT`.
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

  /// What the query says of `name`. `a=b` and `a` (empty) are items, `&` is between them. A `+` is a
  /// plus: no token has a space, and who writes one by hand does not encode it.
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

  /// With its percent-encoding undone (RFC 3986, 2.1); nil where that is wrong or gives no UTF-8.
  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
  }
}

extension RequestTarget: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The path without a token, and without the query, in which there may be one.
  package var description: String { TokenMask.masked(path) }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: ["path": description]) }
}
