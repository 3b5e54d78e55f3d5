package import Engine
package import Judging
import Sketches
import Synchronization
package import Testing
import Traces

/// Records the failures of a session's rules as issues, each where its rule is stated.
package final class Verdicts: Sendable {
  private struct State {
    /// Where rules are stated, by their places.
    var locations: [String: SourceLocation] = [:]
    var recorded: Set<RuleFailure> = []
    /// Whether a rule has been stated that only the end decides.
    var hasOpenRules = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether a rule has failed, or still can.
  package var canBeFailure: Bool { state.withLock { !$0.recorded.isEmpty || $0.hasOpenRules } }
  package var isFailure: Bool { state.withLock { !$0.recorded.isEmpty } }

  /// Returns a rule that is stated at a place in a test.
  package func rule(_ requirement: Requirement, at location: SourceLocation) -> Rule {
    let place = "\(location.fileName):\(location.line)"
    state.withLock { $0.locations[place] = location }
    return Rule(requirement, place: place)
  }

  /// Takes the answer to a rule. Returns when it was met; nil if it has failed or is undecided.
  package func take(_ answer: APIAnswer) -> Duration? {
    guard case .verdict(let outcome) = answer else { return nil }
    switch outcome {
    case .holds(let time): return time.map { $0.roundedUpToMicrosecond.duration }
    case .open: state.withLock { $0.hasOpenRules = true }
    case .fails(let failure): record(failure)
    }
    return nil
  }

  /// Takes the failures that became known later. Those of expectations are left out: an expectation
  /// has had its answer, unless its task was cancelled.
  package func take(_ end: APIEnd?) {
    for verdict in end?.rules ?? [] {
      if case .fails(let failure) = verdict.outcome, !failure.rule.isAwaited {
        record(failure)
      }
    }
  }

  private func record(_ failure: RuleFailure) {
    let location = state.withLock { state in
      state.recorded.insert(failure).inserted ? state.locations[failure.rule.place] : nil
    }
    if let location {
      FailureReport.record(failure.text, location)
    }
  }
}

/// Where the failures of rules are reported: to Swift Testing, as issues of the test.
package enum FailureReport {
  /// Tests of this library, whose rules must fail, collect the failures instead.
  @TaskLocal package static var record: @Sendable (String, SourceLocation) -> Void = {
    (text, location) in
    Issue.record(Comment(rawValue: text), sourceLocation: location)
  }
}
