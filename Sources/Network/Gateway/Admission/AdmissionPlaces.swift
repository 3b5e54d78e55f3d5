/// How many connections are allowed, in total and from one peer.
struct AdmissionPlaces: Hashable, Sendable {
  /// Clients.
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
  func requests(from peer: Peer) -> Int {
    peer == .loopback ? requests / 4 * 3 : requests / 4
  }
}
