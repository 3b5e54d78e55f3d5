import NIOCore

/// Decides which connections get a place, based on the peer that each comes from. It does not close
/// connections itself.
///
///     ──▶ request ──▶ client            keeps its place until it leaves
///           │   └───▶ answered ──┐
///           └────────────────────┴────▶ leaves, or gives way to a newer request
///
/// Requests and clients have separate places. A new request is always admitted: if there is no
/// place, the oldest request is closed. So a request that arrives completely is answered, however
/// many slow ones are still arriving. A client is never closed to make room.
struct Admission<ID: Hashable> {
  enum Standing: Hashable, Sendable {
    /// Its request is not complete.
    case request
    /// Its answer is on the way, and nothing more is expected from it.
    case answered
    case client
  }

  enum Refusal: Hashable, Sendable {
    case tooMany
    case tooManyFromThere
  }

  /// A connection that is not a client.
  private struct Request {
    var peer: Peer
    var isAnswered: Bool
    /// Increases with each connection.
    var number: Int
  }

  private let places: AdmissionPlaces
  private var clients: [ID: Peer] = [:]
  private var requests: [ID: Request] = [:]
  private var clientTally = PeerTally()
  private var requestTally = PeerTally()
  private var lastNumber = 0

  init(_ places: AdmissionPlaces) { self.places = places }

  /// The reason why there is no place for another client; nil if there is one.
  func refusal(from peer: Peer) -> Refusal? {
    if clients.count >= places.clients { return .tooMany }
    return clientTally[peer] >= places.clients(from: peer) ? .tooManyFromThere : nil
  }

  /// Assigns a place. Returns the connection that loses its place to it; nil if none does.
  mutating func enter(_ id: ID, from peer: Peer, as standing: Standing) -> ID? {
    leave(id)
    guard standing != .client else {
      clients[id] = peer
      clientTally.add(peer)
      return nil
    }
    var leaving: ID?
    if requestTally[peer] >= places.requests(from: peer) {
      leaving = oldest(from: peer)
    } else if requests.count >= places.requests {
      leaving = oldest(from: nil)
    }
    if let leaving { leave(leaving) }
    lastNumber += 1
    requests[id] = Request(peer: peer, isAnswered: standing == .answered, number: lastNumber)
    requestTally.add(peer)
    return leaving
  }

  /// Records that its request has been answered. Has no effect on a client, or on a connection
  /// without a place.
  mutating func answered(_ id: ID) { requests[id]?.isAnswered = true }

  /// Releases its place. Has no effect on a connection without a place.
  mutating func leave(_ id: ID) {
    if let peer = clients.removeValue(forKey: id) { clientTally.remove(peer) }
    if let request = requests.removeValue(forKey: id) { requestTally.remove(request.peer) }
  }

  /// The oldest request from a peer. An unfinished one is preferred to an answered one, whose
  /// answer may still be on the way.
  /// - Parameter peer: nil for any peer.
  private func oldest(from peer: Peer?) -> ID? {
    var oldest: (id: ID, request: Request)?
    for (id, request) in requests where peer == nil || request.peer == peer {
      if let other = oldest?.request, !isBefore(request, other) { continue }
      oldest = (id, request)
    }
    return oldest?.id
  }

  private func isBefore(_ a: Request, _ b: Request) -> Bool {
    a.isAnswered == b.isAnswered ? a.number < b.number : b.isAnswered
  }
}

/// How many connections are allowed, in total and from one peer.
struct AdmissionPlaces: Hashable, Sendable {
  let clients: Int
  /// Connections whose request is not complete, or whose answer is on the way.
  let requests: Int

  init(clientsMax: Int) {
    clients = clientsMax
    requests = max(clientsMax, 64)
  }

  /// Behind a proxy, all clients come from loopback, so it can have all places. Any other peer can
  /// have half of them, or up to eight if that is more.
  func clients(from peer: Peer) -> Int {
    peer == .loopback ? clients : max(clients / 2, min(clients, 8))
  }

  /// A browser opens some connections in advance, so one place is not enough.
  func requests(from peer: Peer) -> Int { peer == .loopback ? requests / 4 * 3 : requests / 4 }
}

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
    case 4: self = bytes[0] == 127 ? .loopback : .four(bytes.reduce(0) { $0 << 8 | UInt32($1) })
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

  mutating func add(_ peer: Peer) { counts[peer, default: 0] += 1 }

  /// Removes one that was added.
  mutating func remove(_ peer: Peer) {
    guard let count = counts[peer] else { preconditionFailure("removed more than was added") }
    // Peers without connections must not use memory forever.
    counts[peer] = count > 1 ? count - 1 : nil
  }
}
