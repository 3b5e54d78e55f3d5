import NIOCore

extension SocketAddress {
  /// `ADDRESS:PORT`, as `Endpoint` writes it.
  package var endpoint: String {
    guard let ipAddress, let port else { return "\(self)" }
    return Endpoint(host: ipAddress, port: port).description
  }
}
