/// How many connections there is room for, in all and from one peer.
struct AdmissionPlaces: Hashable, Sendable {
  /// Those that were let in.
  let clients: Int
  /// Those whose request is not whole, or whose answer is on the way.
  let requests: Int

  init(clientsMax: Int) {
    clients = clientsMax
    requests = max(clientsMax, 64)
  }

  /// A proxy brings everybody from loopback. Of eight or fewer places one peer can have all.
  func clients(from peer: Peer) -> Int {
    peer == .loopback ? clients : max(clients / 2, min(clients, 8))
  }

  /// A browser opens some connections ahead of need, so one is not enough.
  func requests(from peer: Peer) -> Int {
    peer == .loopback ? requests / 4 * 3 : requests / 4
  }
}
