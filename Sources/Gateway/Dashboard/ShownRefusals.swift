import Traces
import Turret
import TurretProtocol

/// The last messages that the board did not receive, and who sent them.
struct ShownRefusals: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    /// Counted from the first of the session.
    var number: Int
    var message: RefusedMessage
    /// The client that sent it; nil for the bench itself.
    var from: ClientID?
    var at: HostTime
  }

  private static let countMax = 12

  private(set) var entries: [Entry] = []
  private(set) var count = 0

  /// Adds a message. Replaced and merged commands are left out: they are normal while a target is
  /// followed.
  mutating func add(_ message: RefusedMessage, from client: ClientID?, at now: HostTime) {
    guard message.why.isJudged else { return }
    count += 1
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(number: count, message: message, from: client, at: now))
  }
}
