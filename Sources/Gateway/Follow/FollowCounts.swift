/// What became of following the phone, since it began.
package struct FollowCounts: Hashable, Sendable {
  /// Connections that were made.
  package var connections = 0
  /// Attempts to connect that failed.
  package var refusedConnections = 0
  package var questions = 0
  /// Answers that could be read, with a target or without.
  package var answers = 0
  /// Answers that could not, those that were too long among them.
  package var malformedAnswers = 0
  /// Questions that were not answered in time.
  package var unanswered = 0
  /// Bytes that nobody had asked for.
  package var unaskedBytes = 0
  /// Aims that were sent.
  package var aims = 0
  /// Times the target was lost.
  package var losses = 0

  package init() {}
}
