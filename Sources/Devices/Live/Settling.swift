package import Turret

/// The time after the sender has ended, while its bytes are still on their way, wait on the board
/// or move the servo. The session ends when the line and the board have been quiet for some time.
package struct Settling: Hashable, Sendable {
  /// The longest wait, beyond the bytes on their way. It ends a session whose board no longer takes
  /// anything, or whose sender left another process behind.
  private static let longest = Interval.seconds(5)
  /// Long enough for the verdict to distinguish a number that the sender left without an end from
  /// one that was cut off by the session's end.
  private static let quietTime = Interval.milliseconds(40)

  private let limit: Instant
  private var quietSince: Instant
  private var wasBusy = true

  /// The session does not end before this, so that the last outputs are seen.
  private var earliest: Instant

  /// Creates the settling of a session whose sender ended at `instant`. The session does not end
  /// before `earliest`. `backlog` is how long the bytes on their way take.
  package init(at instant: Instant, notBefore earliest: Instant, backlog: Interval) {
    limit = max(instant + backlog + Self.longest, earliest)
    quietSince = instant
    self.earliest = earliest
  }

  /// Makes the session end no earlier than an instant, unless it has taken the longest time.
  package mutating func extend(to instant: Instant) {
    earliest = min(max(earliest, instant), limit)
  }

  /// When to check again.
  package var deadline: Instant { max(quietSince + Self.quietTime, earliest) }

  /// Whether the session is over at `instant`.
  package mutating func isOver(at instant: Instant, onTheWay: Int, waiting: Int?) -> Bool {
    if instant >= limit { return true }
    let isBusy = onTheWay > 0 || (waiting ?? 0) > 0
    // If the last check found activity, it may have lasted until just now.
    if isBusy || wasBusy { quietSince = instant }
    wasBusy = isBusy
    return instant >= deadline
  }
}
