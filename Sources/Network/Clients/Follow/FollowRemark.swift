package import Sketches

/// An event of the follower that is worth a line in the log.
package enum FollowRemark: Hashable, Sendable {
  /// The reason why the target counts as lost.
  package enum Loss: Hashable, Sendable {
    /// The phone reports no target.
    case noTarget
    /// The reading has not changed for too long.
    case stale
    /// No valid answer has arrived for too long.
    case noNews
    /// The connection has ended.
    case connection
  }

  case connected
  /// There is no connection, with the reason as a sentence.
  case disconnected(String, retryIn: Interval)
  /// The phone closes the connection after each answer, so each request gets a new connection.
  /// Reported once.
  case closesAfterAnswer
  /// The first of several invalid answers, with the error and the answer.
  case malformed(VisionRefusal, answer: [UInt8])
  /// A valid answer after several invalid ones, with their number.
  case malformedBefore(Int)
  case lost(Loss)
  /// A target has appeared.
  case found

  /// Whether it reports a problem.
  package var isWarning: Bool {
    switch self {
    case .disconnected, .malformed, .malformedBefore: true
    case .lost(let loss): loss != .noTarget
    case .connected, .closesAfterAnswer, .found: false
    }
  }
}
