package import NIOCore
import Platform

extension Endpoint {
  /// The addresses of a host, without duplicates, in the system's order. A name can have several,
  /// as `localhost` does. Blocks until the name is resolved. `purpose` completes
  /// "cannot" in an error.
  package func resolved(
    to purpose: String = "listen on"
  ) throws(NetworkError) -> [SocketAddress] {
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
      guard let raw = entry.ai_addr else { continue }
      let address: SocketAddress
      switch entry.ai_family {
      case AF_INET:
        address = raw.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          SocketAddress($0.pointee)
        }
      case AF_INET6:
        address = raw.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
          SocketAddress($0.pointee)
        }
      default: continue
      }
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
  /// `ADDRESS:PORT`, as `Endpoint` writes it.
  package var endpoint: String {
    guard let ipAddress, let port else { return "\(self)" }
    return Endpoint(host: ipAddress, port: port).description
  }
}
