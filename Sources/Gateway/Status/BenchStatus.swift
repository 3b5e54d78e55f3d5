/// What the bench says of itself to those who ask over the network.
package struct BenchStatus: Hashable, Sendable {
  /// What stands behind the gateway.
  package var device = ""
  /// What is wrong with the board, a sentence; nil: it is there and works.
  package var boardFailure: String?
  /// The last commanded angle, degrees; nil before the first.
  package var degrees: UInt8?
  /// nil: the session is not recorded.
  package var recording: RecordingHealth?
  /// Lines of the log that nobody read in time.
  package var logLinesDropped = 0

  package init() {}
}
