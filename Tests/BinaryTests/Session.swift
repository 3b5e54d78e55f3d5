import Sketches

/// The result of a stream.
struct Session {
  var outputs: [TimedOutput]
  var ledger: [Ledger.Entry]
  /// Things that must never happen, whatever the other side did.
  var complaint: String?

  func outputs(_ kind: Output.Kind) -> [TimedOutput] { outputs.filter { $0.output.kind == kind } }
}
