/// Which connections have a place, by where they come from. It decides, and closes nothing itself.
///
///     ──▶ request ──▶ client            keeps its place until it leaves
///           │   └───▶ answered ──┐
///           └────────────────────┴────▶ leaves, or gives way to a newer request
///
/// Requests and clients have places of their own. A new request is always let in: where there is no
/// place, the oldest one gives way, so a request that arrives whole is answered however many others
/// dribble. A client never gives way.
struct Admission<ID: Hashable> {
  enum Standing: Hashable, Sendable {
    /// Its request is not whole yet.
    case request
    /// Its answer is on the way, and nothing more is expected from it.
    case answered
    case client
  }

  enum Refusal: Hashable, Sendable {
    case tooMany
    case tooManyFromThere
  }

  /// One that is not a client.
  private struct Request {
    var peer: Peer
    var isAnswered: Bool
    /// Grows with each.
    var number: Int
  }

  private let places: AdmissionPlaces
  private var clients: [ID: Peer] = [:]
  private var requests: [ID: Request] = [:]
  private var clientTally = PeerTally()
  private var requestTally = PeerTally()
  private var lastNumber = 0

  init(_ places: AdmissionPlaces) { self.places = places }

  /// Why there is no place for another client; nil: there is one.
  func refusal(from peer: Peer) -> Refusal? {
    if clients.count >= places.clients { return .tooMany }
    return clientTally[peer] >= places.clients(from: peer) ? .tooManyFromThere : nil
  }

  /// Gives a place. Returns the one that gives way to it, which has lost its own; nil: none does.
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

  /// Its request has been answered. A client, and one that has no place, stay as they are.
  mutating func answered(_ id: ID) { requests[id]?.isAnswered = true }

  /// One that has no place changes nothing.
  mutating func leave(_ id: ID) {
    if let peer = clients.removeValue(forKey: id) { clientTally.remove(peer) }
    if let request = requests.removeValue(forKey: id) { requestTally.remove(request.peer) }
  }

  /// An unfinished request before an answered one, whose answer may still be on the way.
  /// - Parameter peer: nil: from anywhere.
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
