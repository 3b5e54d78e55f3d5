package import Turret

/// What a person who watches the follower may want to know.
package enum FollowRemark: Hashable, Sendable {
  /// Why the turret is told that there is no target.
  package enum Loss: Hashable, Sendable {
    /// The phone says so.
    case noTarget
    /// The reading has not changed for too long.
    case stale
    /// No answer that could be read came for too long.
    case noNews
    /// The connection is gone.
    case connection
  }

  /// Why a connection ended.
  package enum Ending: Hashable, Sendable {
    /// The phone closed it.
    case closed
    /// It broke; the system's words.
    case failed(String)
    case unanswered
    /// An answer, or what came unasked, had no end.
    case tooLong
  }

  case connected
  case cannotConnect(String, retryIn: Interval)
  case disconnected(Ending, retryIn: Interval)
  /// The phone closes after each answer, which is told once; it is connected to for each question.
  case closesAfterAnswer
  /// The first of some, what is wrong with it and what it was.
  case malformed(VisionRefusal, answer: [UInt8])
  /// A good answer after so many that were not, when more than one.
  case malformedBefore(Int)
  case lost(Loss)
  /// There is a target; before there was none.
  case found

  /// Whether it tells of something that is not as it should be.
  package var isWarning: Bool {
    switch self {
    case .cannotConnect, .disconnected, .malformed, .malformedBefore: true
    case .lost(let loss): loss != .noTarget
    case .connected, .closesAfterAnswer, .found: false
    }
  }
}
