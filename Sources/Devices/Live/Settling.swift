package import Turret

/// After the sender has ended: what it sent is still on its way, waits on the board, or makes the
/// servo move. The session ends when the line and the board have been quiet for some time.
package struct Settling: Hashable, Sendable {
  /// A board that takes nothing any more, and a sender that somebody else has left behind, are not
  /// waited for longer than this and what was on the way.
  private static let longest = Interval.seconds(5)
  private static let quietTime = Interval.milliseconds(100)

  private let limit: Instant
  private var quietSince: Instant
  private var wasBusy = true

  /// Somebody wants to see what happens until then.
  private let earliest: Instant

  /// The sender ended at `instant`. `earliest`: the session does not end before that. `backlog`:
  /// how long the bytes that are on the way take.
  package init(at instant: Instant, notBefore earliest: Instant, backlog: Interval) {
    limit = max(instant + backlog + Self.longest, earliest)
    quietSince = instant
    self.earliest = earliest
  }

  /// When to look again.
  package var deadline: Instant { max(quietSince + Self.quietTime, earliest) }

  /// Whether the session is over at `instant`.
  package mutating func isOver(at instant: Instant, onTheWay: Int, waiting: Int?) -> Bool {
    if instant >= limit { return true }
    let isBusy = onTheWay > 0 || (waiting ?? 0) > 0
    // What was busy at the last look may have been so until just now.
    if isBusy || wasBusy { quietSince = instant }
    wasBusy = isBusy
    return instant >= deadline
  }
}
