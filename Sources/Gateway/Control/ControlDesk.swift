/// Knows which client controls. One does whenever any is there, and the others are spectators: under
/// `first` the one who came first of those there, under `latest` the one who came last.
package struct ControlDesk: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case gained(ClientID)
    /// Another took over; the client is still there.
    case lost(ClientID)
    /// The controller went, so the turret is to do what it does then. Comes before the next `gained`.
    case abandoned
  }

  package let policy: ControlPolicy
  /// Those who are there, in the order they came.
  private var present: [ClientID] = []

  package init(policy: ControlPolicy) { self.policy = policy }

  /// Who controls; nil when nobody is there.
  package var controller: ClientID? {
    switch policy {
    case .first: present.first
    case .latest: present.last
    }
  }

  /// A client comes. One that is there already changes nothing.
  package mutating func join(_ client: ClientID) -> [Change] {
    guard !present.contains(client) else { return [] }
    let old = controller
    present.append(client)
    guard controller == client else { return [] }
    return (old.map { [.lost($0)] } ?? []) + [.gained(client)]
  }

  /// A client goes, however. One that is not there changes nothing.
  package mutating func leave(_ client: ClientID) -> [Change] {
    let old = controller
    present.removeAll { $0 == client }
    guard old == client else { return [] }
    return [.abandoned] + (controller.map { [.gained($0)] } ?? [])
  }
}
