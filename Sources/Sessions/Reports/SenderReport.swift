package import Engine
import Judging
package import Sketches
import Traces

/// How the command after `--` ended, and the end of what it wrote to standard error.
package struct SenderReport: Hashable, Sendable {
  package enum Ending: Hashable, Sendable {
    case ended(ExitStatus)
    case signal(Int32)
    /// The bench stopped it after this time, the limit of `--timeout` or `--for`.
    case stopped(after: Interval)
    /// The bench stopped it, because the session ended for another reason.
    case interrupted
  }

  package var ending: Ending
  package var status: ExitStatus
  /// The end of its standard error; empty if that was not kept.
  package var errors: ErrorTail
  package var length = Interval.zero
  /// Whether a rule expects exactly this status.
  package var isExpected = false

  package init(_ ending: Ending, status: ExitStatus, errors: ErrorTail = ErrorTail()) {
    self.ending = ending
    self.status = status
    self.errors = errors
  }

  package var hasFailed: Bool { status != .agree && !isExpected }

  /// The part that rules judge.
  var outcome: SenderOutcome {
    SenderOutcome(
      status: Int(status.rawValue), length: length, wasStopped: wasStopped, errors: errors.bytes)
  }

  /// Whether it failed without being stopped by the bench.
  package var hasCrashed: Bool {
    switch ending {
    case .ended: hasFailed
    case .signal: true
    case .stopped, .interrupted: false
    }
  }

  /// Whether the bench stopped it.
  private var wasStopped: Bool {
    switch ending {
    case .ended, .signal: false
    case .stopped, .interrupted: true
    }
  }

  package var sentence: String {
    switch ending {
    case .ended(let status): "the sender ended with status \(status.rawValue)"
    case .signal(let number): "the sender was ended by signal \(number)"
    case .stopped(let time): "the sender was stopped after \(String(shortest: time)) s"
    case .interrupted: "the sender was stopped with the bench"
    }
  }

  /// The end of its standard error, as lines for a report; nil if there is none.
  package var errorsText: String? {
    guard !errors.bytes.isEmpty else { return nil }
    let title =
      errors.isCut ? "the end of the sender's standard error" : "the sender's standard error"
    return "\(title):\n\(errors.text)"
  }
}
