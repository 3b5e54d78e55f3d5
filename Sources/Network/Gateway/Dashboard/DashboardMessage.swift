package import Sketches
package import Traces

/// What dashboards show at an instant: the members of a JSON object.
///
/// A dashboard first receives all of them, and from then on those that have changed.
package struct DashboardMessage: Hashable, Sendable {
  /// The session's time.
  package var time: Instant
  package var members: [JSONValue.Member]
  /// A member that is sent only to a dashboard that receives everything; nil if there is none at
  /// present.
  package var history: JSONValue?

  package init(time: Instant, members: [JSONValue.Member], history: JSONValue? = nil) {
    self.time = time
    self.members = members
    self.history = history
  }

  /// Everything; nil without the history.
  package var snapshot: [UInt8]? {
    history.map { text(members + [.init("history", $0)]) }
  }

  /// Returns what has changed since an earlier message; nil if only the time has.
  package func change(since old: DashboardMessage) -> [UInt8]? {
    let changed = members.filter { member in old[member.key] != member.value }
    return changed.isEmpty ? nil : text(changed)
  }

  /// The time alone, which shows that the bench is running.
  package var heartbeat: [UInt8] { text([]) }

  private subscript(key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  private func text(_ members: [JSONValue.Member]) -> [UInt8] {
    var text: [UInt8] = []
    JSONValue.object([.init("time", .seconds(time))] + members).append(to: &text)
    return text
  }
}
