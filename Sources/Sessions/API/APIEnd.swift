package import Turret

/// How a session ended.
package struct APIEnd: Hashable, Sendable {
  package var time: Instant
  /// The program's exit status.
  package var status: ExitStatus
  package var heldCount: Int
  package var failedCount: Int
  /// Every failure, and the rules that only the end decided.
  package var rules: [APIVerdict]
}
