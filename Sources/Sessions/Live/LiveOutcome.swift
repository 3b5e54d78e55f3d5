package import Verification

/// The result of a live session that is judged.
package struct LiveOutcome: Hashable, Sendable {
  /// The judge's verdict; nil if the session was not compared with anything.
  package var verdict: Verdict?
  /// The rules that hold and fail; nil if there are none.
  package var rules: RuleReport?
  /// How the command after `--` ended; nil if there was none.
  package var sender: SenderReport?
  /// The session as a trace; nil if it was not kept.
  package var trace: [UInt8]?
}
