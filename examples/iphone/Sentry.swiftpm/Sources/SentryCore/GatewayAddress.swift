/// The gateway's address and token, from what the user typed or copied.
///
/// `pi.local`, `192.168.1.20:12354`, `wss://pi.example/`, and the address of the gateway's page for
/// phones, with its token, are all accepted.
public struct GatewayAddress: Hashable, Sendable {
  /// The port of a gateway that was started without another one.
  public static let usualPort = 12354
  /// The gateway accepts no other token.
  public static let tokenLengths = 16...256

  public let isSecure: Bool
  /// An IPv6 address is in brackets.
  public let host: String
  public let port: Int
  /// nil for a gateway that admits everybody.
  public let token: String?

  /// The address for a WebSocket connection, without the token.
  public var text: String { "\(isSecure ? "wss" : "ws")://\(host):\(port)/" }

  /// - Parameter token: what is in the settings next to the address; can be empty.
  public init(_ text: String, token: String = "") throws(AddressError) {
    var rest = trimmed(text)[...]
    guard !rest.isEmpty else { throw .empty }
    isSecure = try Self.takeScheme(&rest)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    (host, port) = try Self.hostAndPort(rest[..<end])
    let inAddress = try Self.token(in: rest[end...])
    let typed = trimmed(token)
    if let inAddress, !typed.isEmpty, typed != inAddress { throw .twoTokens }
    let chosen = inAddress ?? typed
    guard chosen.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .badToken }
    let length = chosen.utf8.count
    guard chosen.isEmpty || Self.tokenLengths.contains(length) else { throw .badLength(length) }
    self.token = chosen.isEmpty ? nil : chosen
    guard isSecure || Self.isLocal(host) else { throw .notLocal(host) }
  }

  private static func takeScheme(_ rest: inout Substring) throws(AddressError) -> Bool {
    guard let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") else {
      return false
    }
    let scheme = rest[..<colon].lowercased()
    rest = rest[rest.index(colon, offsetBy: 3)...]
    switch scheme {
    case "ws", "http": return false
    case "wss", "https": return true
    default: throw .badScheme(scheme)
    }
  }

  private static func hostAndPort(_ text: Substring) throws(AddressError) -> (String, Int) {
    guard !text.contains("@") else { throw .hasUser }
    var host = text
    var port: Substring?
    if text.first == "[" {
      guard let close = text.firstIndex(of: "]") else { throw .badHost(String(text)) }
      host = text[...close]
      let rest = text[text.index(after: close)...]
      guard rest.isEmpty || rest.first == ":" else { throw .badHost(String(text)) }
      port = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = text.firstIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
    }
    guard isHost(host) else { throw .badHost(String(host)) }
    guard let port else { return (host.lowercased(), usualPort) }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(port),
      (1...65535).contains(number)
    else { throw .badPort(String(port)) }
    return (host.lowercased(), number)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.first == "[" {
      let inside = host.dropFirst().dropLast()
      return inside.contains(":")
        && inside.allSatisfy { $0.isASCII && ($0.isHexDigit || ":.".contains($0)) }
    }
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy { label in
      !label.isEmpty
        && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
    }
  }

  /// The token of an address, `?token=...`, or of the page's address that the gateway prints,
  /// `#token=...`.
  private static func token(in rest: Substring) throws(AddressError) -> String? {
    let options = rest.drop { !"?#".contains($0) }
    for option in options.split(whereSeparator: { "?#&".contains($0) })
    where option.hasPrefix("token=") {
      guard let token = decoded(option.dropFirst("token=".count)) else { throw .badToken }
      return token.isEmpty ? nil : token
    }
    return nil
  }

  /// Replaces `%2B` and the like; nil if that is not possible.
  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(Substring(rest.prefix(2)))
      guard digits.count == 2, digits.allSatisfy({ $0.isHexDigit }),
        let value = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Whether iOS permits a connection without TLS, by NSAllowsLocalNetworking: to a name without a
  /// dot, a name in `.local`, or an IP address.
  private static func isLocal(_ host: String) -> Bool {
    if host.hasPrefix("[") || !host.contains(".") || host.hasSuffix(".local") { return true }
    let numbers = host.split(separator: ".")
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }
}

/// Why an address cannot be used. The description is shown in the app's settings.
public enum AddressError: Error, Hashable, Sendable, CustomStringConvertible {
  case empty
  case badScheme(String)
  case badHost(String)
  case badPort(String)
  case hasUser
  case badToken
  /// The token's number of characters.
  case badLength(Int)
  /// The address and the settings have different tokens.
  case twoTokens
  /// iOS refuses a connection without TLS to this host.
  case notLocal(String)

  public var description: String {
    switch self {
    case .empty: "Enter the gateway's address, for example pi.local or 192.168.1.20:12354."
    case .badScheme(let scheme): "The address must begin with ws:// or wss://, not \(scheme)://."
    case .badHost(""): "The address has no host, for example pi.local."
    case .badHost(let host): "\"\(host)\" is not a host name or an IP address."
    case .badPort(let port): "The port must be 1 to 65535, not \"\(port)\"."
    case .hasUser: "The address must not contain a user name. The gateway requires a token instead."
    case .badToken: "The token has a character that the gateway does not accept, such as a space."
    case .badLength(let length): "A token has 16 to 256 characters, not \(length)."
    case .twoTokens: "The address has another token than the field below. Remove one of them."
    case .notLocal(let host):
      "iOS requires encryption for \(host). Use wss://, or a name in .local, or an IP address."
    }
  }
}
