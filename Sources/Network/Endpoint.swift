package import NIOCore
package import Platform

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

extension Endpoint {
  /// The addresses of a host, without duplicates, in the system's order. A name can have several,
  /// as `localhost` does. Blocks until the name is resolved. `purpose` completes
  /// "cannot" in an error.
  package func resolved(to purpose: String = "listen on") throws(NetworkError) -> [SocketAddress] {
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE
    hints.ai_socktype = streamSocket
    var first: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &first)
    guard status == 0 else {
      throw NetworkError(
        .unavailable, "error: cannot \(purpose) \(self): \(String(cString: gai_strerror(status)))")
    }
    defer { freeaddrinfo(first) }
    var addresses: [SocketAddress] = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ai_next
      guard let raw = entry.ai_addr, let address = SocketAddress(raw) else { continue }
      if !addresses.contains(address) { addresses.append(address) }
    }
    guard !addresses.isEmpty else {
      throw NetworkError(
        .unavailable, "error: cannot \(purpose) \(self): the host has no IP address")
    }
    return addresses
  }
}

extension SocketAddress {
  /// Converts an address of the system; nil if it is neither IPv4 nor IPv6.
  package init?(_ address: UnsafePointer<sockaddr>) {
    switch CInt(address.pointee.sa_family) {
    case AF_INET:
      self = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { .init($0.pointee) }
    case AF_INET6:
      self = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { .init($0.pointee) }
    default: return nil
    }
  }

  /// `ADDRESS:PORT`, as `Endpoint` writes it.
  package var endpoint: String {
    guard let ipAddress, let port else { return "\(self)" }
    return Endpoint(host: ipAddress, port: port).description
  }
}

/// This computer's name on the local network, `NAME.local` (mDNS, RFC 6762).
package enum LocalName {
  /// nil if this computer has no name.
  package static var ofThisComputer: String? { hostName.flatMap(named) }

  /// The name that the system gives this computer; nil if it gives none.
  static var hostName: String? {
    // A name has at most 255 bytes (POSIX). A truncated one may have no terminating zero.
    var name = [CChar](repeating: 0, count: 257)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The local name of a computer whose host name is `hostName`. It consists of the first part of
  /// that name, in lower case.
  static func named(_ hostName: String) -> String? {
    let label = hostName.prefix { $0 != "." }.lowercased()
    // Many computers are called `localhost`, so it identifies none of them.
    return label.isEmpty || label == "localhost" ? nil : "\(label).local"
  }
}
