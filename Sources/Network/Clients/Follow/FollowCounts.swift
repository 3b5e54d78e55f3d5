/// Counts of everything that has happened while following the phone.
package struct FollowCounts: Hashable, Sendable {
  /// Successful connections.
  package var connections = 0
  /// Failed attempts to connect.
  package var refusedConnections = 0
  package var questions = 0
  /// Answers that could be parsed, with or without a target.
  package var answers = 0
  /// Answers that could not be parsed, including those that were too long.
  package var malformedAnswers = 0
  /// Requests that were not answered in time.
  package var unanswered = 0
  /// Bytes received without a request.
  package var unaskedBytes = 0
  /// Aims sent.
  package var aims = 0
  /// How often the target was lost.
  package var losses = 0

  package init() {}
}
