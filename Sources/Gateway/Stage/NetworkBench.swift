package import Networking

/// A bench whose turns are interleaved with a network.
package protocol NetworkBench: AnyObject {
  /// Starts the time.
  func begin()
  /// Handles everything that has arrived and everything that is due. Returns nil when the session
  /// is over.
  func turn(_ reason: TurnReason) throws -> TurnPlan?
  /// Takes bytes read from the plan's stream.
  func arrived(_ bytes: [UInt8])
  /// Called when the session is over or has failed.
  func end()
}
