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
