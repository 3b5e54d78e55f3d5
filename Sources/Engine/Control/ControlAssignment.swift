package import Sketches

/// Decides which client is in control. If any clients count for it, one of them is in control:
/// under `first` the one that counted first, under `latest` the one that did so last. The others
/// only watch.
package struct ControlAssignment: Hashable, Sendable {
  package enum Change: Hashable, Sendable {
    case gained(ClientID)
    /// Another client took control; this client is still connected.
    case lost(ClientID)
    /// The controller left, so the turret does what was chosen for this case. Precedes the next
    /// `gained`.
    case abandoned
  }

  package let policy: ControlPolicy
  /// The clients that count, in the order in which they began to.
  private var present: [ClientID] = []

  package init(policy: ControlPolicy) { self.policy = policy }

  /// The client in control; nil if none counts.
  package var controller: ClientID? {
    switch policy {
    case .first: present.first
    case .latest: present.last
    }
  }

  /// Adds a client. Has no effect if it is already present.
  package mutating func join(_ client: ClientID) -> [Change] {
    guard !present.contains(client) else { return [] }
    let old = controller
    present.append(client)
    guard controller == client else { return [] }
    return (old.map { [.lost($0)] } ?? []) + [.gained(client)]
  }

  /// Removes a client for any reason. Has no effect if it is not present.
  package mutating func leave(_ client: ClientID) -> [Change] {
    let old = controller
    present.removeAll { $0 == client }
    guard old == client else { return [] }
    return [.abandoned] + (controller.map { [.gained($0)] } ?? [])
  }
}
