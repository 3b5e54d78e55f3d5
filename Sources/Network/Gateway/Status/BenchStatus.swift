/// The bench's own status, for requests over the network.
package struct BenchStatus: Hashable, Sendable {
  /// The device behind the gateway.
  package var device = ""
  /// The name of its sketch; nil before the session begins.
  package var sketch: String?
  /// What is wrong with the board, as a sentence; nil if it is connected and works.
  package var boardFailure: String?
  /// The last commanded angle in degrees; nil before the first one.
  package var degrees: UInt8?
  /// nil if the session is not recorded.
  package var recording: RecordingHealth?

  package init() {}
}
