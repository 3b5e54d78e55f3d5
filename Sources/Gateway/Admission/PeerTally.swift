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
