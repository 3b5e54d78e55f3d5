/// A bench that takes its turns beside a network.
package protocol NetworkBench: AnyObject {
  /// Time runs from here on.
  func begin()
  /// Sees to all that has come and all that is due; nil: the session is over.
  func turn(_ reason: TurnReason) throws -> TurnPlan?
  /// Bytes have been read from the plan's stream.
  func arrived(_ bytes: [UInt8])
  /// The session is over, or has failed.
  func end()
}
