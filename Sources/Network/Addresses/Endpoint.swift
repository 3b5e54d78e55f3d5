/// An address to listen on or to connect to: `HOST:PORT`, with an IPv6 address in brackets.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  /// Parses `127.0.0.1:12354`, `localhost:0` or `[::1]:80`; nil if it is invalid. The host is
  /// required, because its meaning when omitted is easily misunderstood.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"),
      let port = Int(text[text.index(after: colon)...]), (0...65_535).contains(port),
      text[text.index(after: colon)...].allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    self.init(host: String(host), port: port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only this computer can reach it: a loopback address, or `localhost`.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1"
      || host.hasPrefix("127.")
        && host.split(separator: ".", omittingEmptySubsequences: false).count == 4
        && host.allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
  }
}
