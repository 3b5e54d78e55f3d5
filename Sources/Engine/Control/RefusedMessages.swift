package import Sketches
package import Traces

/// The refused messages that are not part of the session yet.
///
/// At most `perSecondMax` a second are kept separately. Any beyond that are merged, into one for
/// each reason, and follow in the next second, so that a client cannot make a session's trace grow
/// without limit.
struct RefusedMessages: Sendable {
  static let perSecondMax = 100

  private var waiting: [RefusedMessage] = []
  /// At most one for each reason.
  private var surplus: [RefusedMessage] = []
  /// When the present second began; nil before the first message.
  private var begin: Instant?
  /// The number of messages kept separately in it.
  private var count = 0

  mutating func put(_ message: RefusedMessage, at now: Instant) {
    if begin.map({ now - $0 >= .seconds(1) }) ?? true {
      waiting += surplus
      count = surplus.count
      surplus = []
      begin = now
    }
    if count < Self.perSecondMax, waiting.count < Self.perSecondMax {
      count += 1
      waiting.append(message)
    } else if let index = surplus.firstIndex(where: { $0.why == message.why }) {
      surplus[index].absorb(message)
    } else {
      surplus.append(message)
    }
  }

  /// Removes and returns what was refused, in order. `isLast`: no call follows.
  mutating func take(isLast: Bool) -> [RefusedMessage] {
    if isLast {
      waiting += surplus
      surplus = []
    }
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting
  }
}

/// The last messages that the board did not receive, and who sent them.
package struct ShownRefusals: Hashable, Sendable {
  package struct Entry: Hashable, Sendable {
    /// Counted from the first of the session.
    package var number: Int
    package var message: RefusedMessage
    /// The client that sent it; nil for the bench itself.
    package var from: ClientID?
    package var at: Instant
  }

  private static let countMax = 12

  private(set) var entries: [Entry] = []
  private(set) var count = 0

  /// Adds a message. Replaced and merged commands are left out: they are normal while a target is
  /// followed.
  mutating func add(_ message: RefusedMessage, from client: ClientID?, at now: Instant) {
    guard message.why.isJudged else { return }
    count += 1
    if entries.count == Self.countMax { entries.removeFirst() }
    entries.append(Entry(number: count, message: message, from: client, at: now))
  }
}
