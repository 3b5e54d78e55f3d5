package import Sketches

/// How the robot vision phone is followed.
package struct FollowSettings: Hashable, Sendable {
  /// The maximum number of requests a second, at least 1. The next request is sent only after the
  /// answer.
  package var rate = 30
  /// If an answer takes longer, it is given up, and the connection is closed.
  package var answerTime = Interval.seconds(1)
  /// The target counts as lost this long after the last valid answer.
  package var lossTime = Interval.seconds(1)
  /// If a reading stays exactly the same for longer, the camera is assumed to hang, and the target
  /// counts as lost. More than one second, because timestamps can be in whole seconds. nil for
  /// never.
  package var staleTime: Interval? = .seconds(2)
  /// If a phone has not answered this long after the first request, it may be waiting for the end
  /// of a line.
  package var newlineTime = Interval.milliseconds(300)
  /// How the connection is kept.
  package var connection = SenderSettings.phone

  package init() {}

  /// The time between requests.
  package var period: Interval { .nanoseconds(1_000_000_000 / Int64(max(1, rate))) }
}
