import NIOCore

/// The source of a connection, as the limits count it: a computer, or a network whose computers
/// cannot be distinguished.
enum Peer: Hashable, Sendable {
  /// This computer. A proxy in front of the gateway, and everybody who uses it, also counts as this
  /// computer.
  case loopback
  case four(UInt32)
  /// The first 64 bits of an IPv6 address: anyone who has one address with this prefix can use them
  /// all (RFC 7421).
  case six(UInt64)
  /// The connection ended before its address was known.
  case unknown

  /// - Parameter bytes: the 4 or 16 bytes of an IP address, in network byte order.
  init(address bytes: [UInt8]) {
    // If one listener accepts both families, an IPv4 address has the form ::ffff:a.b.c.d (RFC 4291,
    // 2.5.5.2).
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
    // The offset of the address in a `sockaddr_in` and a `sockaddr_in6`, whose fields belong to
    // different modules on each system.
    switch address {
    case .v4(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
    case .v6(let address):
      self.init(address: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
    case .unixDomainSocket, nil: self = .unknown
    }
  }
}

/// The number of connections from each peer.
struct PeerTally: Hashable, Sendable {
  private var counts: [Peer: Int] = [:]

  subscript(peer: Peer) -> Int { counts[peer] ?? 0 }

  mutating func add(_ peer: Peer) {
    counts[peer, default: 0] += 1
  }

  /// Removes one that was added.
  mutating func remove(_ peer: Peer) {
    guard let count = counts[peer] else { preconditionFailure("removed more than was added") }
    // Peers without connections must not use memory forever.
    counts[peer] = count > 1 ? count - 1 : nil
  }
}
