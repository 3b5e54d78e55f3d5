import NIOCore

/// Where a connection comes from, as far as limits are concerned: a computer, or a network whose
/// computers cannot be told apart.
enum Peer: Hashable, Sendable {
  /// This computer. A proxy in front of the gateway comes from here too, with everybody behind it.
  case loopback
  case four(UInt32)
  /// The first 64 bits of an IPv6 address: whoever has one has them all (RFC 7421).
  case six(UInt64)
  /// The connection ended before it could be asked.
  case unknown

  /// - Parameter bytes: the 4 or 16 bytes of an IP address, in the network's order.
  init(address bytes: [UInt8]) {
    // Where one listener takes both families, IPv4 comes as ::ffff:a.b.c.d (RFC 4291, 2.5.5.2).
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    let bytes = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
    switch bytes.count {
    case 4:
      self = bytes[0] == 127 ? .loopback : .four(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self =
        bytes == [UInt8](repeating: 0, count: 15) + [1]
        ? .loopback : .six(bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    default: self = .unknown
    }
  }

  init(_ address: SocketAddress?) {
    // Where the address is in a `sockaddr_in` and a `sockaddr_in6`, whose fields belong to another
    // module on each system.
    switch address {
    case .v4(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
    case .v6(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
    case .unixDomainSocket, nil: self = .unknown
    }
  }
}
