package import Sketches
import Traces

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

extension FollowRemark: CustomStringConvertible {
  /// How many bytes of an answer are shown.
  private static let shownBytesMax = 80

  /// A sentence for the log. It contains the phone's text as truncated, plain ASCII.
  package var description: String {
    switch self {
    case .connected: "connected to the phone"
    case .disconnected(let why, let wait): "\(why); next attempt in \(Self.text(wait))"
    case .closesAfterAnswer: "the phone closes after each answer: reconnecting for each question"
    case .malformed(let refusal, let answer):
      "the phone's answer cannot be read: \(refusal): \(Self.quoted(answer))"
    case .malformedBefore(let count): "the phone's \(count) previous answers could not be read"
    case .lost(.noTarget): "no target"
    case .lost(.stale): "no target: the phone's reading has stopped changing"
    case .lost(.noNews): "no target: the phone reports nothing new"
    case .lost(.connection): "no target: no connection to the phone"
    case .found: "target found"
    }
  }

  private static func text(_ wait: Interval) -> String {
    String(readable: .milliseconds((wait.nanoseconds + 500_000) / 1_000_000))
  }

  private static func quoted(_ bytes: [UInt8]) -> String {
    ByteText.quoted(bytes.prefix(shownBytesMax)) + (bytes.count > shownBytesMax ? "..." : "")
  }
}
