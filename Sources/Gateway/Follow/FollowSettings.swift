package import Turret

/// How the robot vision phone is followed.
package struct FollowSettings: Hashable, Sendable {
  /// Questions a second at most, from 1: the next is asked only after the answer.
  package var rate = 30
  /// An answer that takes longer does not come any more, and the connection is given up.
  package var answerTime = Interval.seconds(1)
  /// So long after the last good answer the target is lost.
  package var lossTime = Interval.seconds(1)
  /// A reading that stays the same to the letter for longer is that of a camera that hangs: the target
  /// is lost. More than one second, since a timestamp may count whole ones. nil: never.
  package var staleTime: Interval? = .seconds(2)
  /// A phone that has said nothing so long after the first question may be waiting for the end of a line.
  package var newlineTime = Interval.milliseconds(300)
  /// How long connecting may take.
  package var connectTime = Interval.seconds(2)
  /// Between attempts to connect: the first wait, and the longest that doubling it comes to.
  package var backOffFirst = Interval.milliseconds(250)
  package var backOffMost = Interval.seconds(8)

  package init() {}

  /// Between the questions.
  package var period: Interval { .nanoseconds(1_000_000_000 / Int64(max(1, rate))) }
}
