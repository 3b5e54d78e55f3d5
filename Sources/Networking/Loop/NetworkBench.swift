/// A session's bench, whose turns are interleaved with a network.
package protocol NetworkBench: AnyObject, SendableMetatype {
  /// How a session ended.
  associatedtype Ending: Sendable

  /// Starts the session's time.
  func begin()
  /// Handles everything that has arrived and everything that is due.
  func turn(_ reason: TurnReason) throws -> TurnOutcome<Ending>
  /// Takes bytes read from the plan's stream.
  func arrived(_ bytes: [UInt8])
  /// Called when the session is over or has failed.
  func close()

  /// Blocks until one of several descriptors is readable, and returns the readable ones. Called on
  /// another thread.
  @Sendable static func wait(_ descriptors: [CInt]) -> [CInt]
}
