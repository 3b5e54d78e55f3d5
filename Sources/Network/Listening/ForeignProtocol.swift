/// A protocol that browsers speak and a port for bare commands does not, recognized by the first
/// bytes received.
///
/// Any page can make a browser connect to any port, and can choose much of the data sent there: the
/// body of an HTTP request, or the names in a WebRTC connectivity check. These bytes must not be
/// taken for commands. The page cannot choose the first bytes that the browser itself writes.
///
/// Only the first read is examined, and immediately: many commands are single letters, and waiting
/// for more bytes would delay them. A browser's request line, TLS hello or STUN header is in the
/// first segment.
///
/// A stream of commands is never mistaken for one of these protocols. Each of them requires a byte
/// that is part of no command of any firmware: `/` for HTTP, 0x16 for TLS, and 0xA4 for STUN.
package enum ForeignProtocol: Hashable, Sendable, CaseIterable {
  case http
  case tls
  /// WebRTC over TCP, either directly or through a TURN server.
  case stun

  /// nil if the bytes can be commands.
  package init?(firstRead bytes: some Collection<UInt8>) {
    let bytes = Array(bytes)
    if Self.isHello(bytes) {
      self = .tls
    } else if Self.isSTUN(bytes) {
      self = .stun
    } else if Self.isRequest(bytes) {
      self = .http
    } else {
      return nil
    }
  }

  /// The name of the protocol, for use after "it begins as".
  package var name: String {
    switch self {
    case .http: "an HTTP request"
    case .tls: "a TLS connection"
    case .stun: "a WebRTC connection"
    }
  }

  /// The record with a client's hello (RFC 8446, 5.1), for any version from SSL 3.0 on.
  private static func isHello(_ bytes: [UInt8]) -> Bool {
    bytes.count >= 3 && bytes[0] == 0x16 && bytes[1] == 0x03 && bytes[2] <= 0x04
  }

  /// A STUN header (RFC 8489, 5), either directly, as TURN sends it over TCP, or after the length
  /// that ICE puts before it (RFC 6544, 3).
  private static func isSTUN(_ bytes: [UInt8]) -> Bool {
    let cookie: [UInt8] = [0x21, 0x12, 0xA4, 0x42]
    return [4, 6].contains { bytes.dropFirst($0).starts(with: cookie) }
  }

  /// A request line: a method, a space, a target, `HTTP/`. If the read ends before that, it still
  /// counts as one if the target begins like a path or an address, because the target can be longer
  /// than one read.
  private static func isRequest(_ bytes: [UInt8]) -> Bool {
    // A server skips line ends before a request (RFC 9112, 2.2).
    let request = bytes.drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    let line = request.prefix { $0 != UInt8(ascii: "\n") }
    let method = line.prefix(while: isTokenByte)
    let target = line.dropFirst(method.count + 1)
    guard !method.isEmpty, line.dropFirst(method.count).first == UInt8(ascii: " ") else {
      return false
    }
    if target.firstRange(of: " HTTP/".utf8) != nil { return true }
    let isCut = line.endIndex == bytes.endIndex
    let scheme = target.prefix { $0 != UInt8(ascii: ":") }
    return isCut
      && (target.first == UInt8(ascii: "/")
        || target.dropFirst(scheme.count).starts(with: "://".utf8))
  }

  /// The characters of a method (RFC 9110, 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
