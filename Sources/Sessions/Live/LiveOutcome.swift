package import Turret
package import Verification

/// How a live session ended, and what it showed.
package struct LiveOutcome {
  /// The judge's verdict; nil if the session was not compared with anything.
  package var verdict: Verdict?
  /// The rules that hold and fail; nil if there are none.
  package var rules: RuleReport?
  /// The sender's wrong speed, which explains most of what failed; nil if it had none.
  package var wrongSpeed: WrongSpeed?
  /// How the command after `--` ended; nil if there was none.
  package var sender: SenderReport?
  /// The session as a trace; nil if it was not kept.
  package var trace: [UInt8]?
  /// Why the process does not exit with 0; nil if it does.
  package var failure: Failure?

  /// Whether the session does not meet the expectations.
  var disagrees: Bool { verdict?.agrees == false || rules?.holds == false }

  /// - Throws: `failure`.
  package func check() throws(Failure) {
    if let failure { throw failure }
  }
}
