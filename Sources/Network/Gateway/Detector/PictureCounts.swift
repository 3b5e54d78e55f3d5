/// Counts of what happened to the clients' pictures so far, and whether the detector is ready.
package struct PictureCounts: Hashable, Sendable {
  /// The reason why a picture was not passed to the detector.
  package enum RefusalReason: String, Hashable, Sendable, CaseIterable {
    case notInControl = "not-in-control"
    case tooLarge = "too-large"
    /// The detector is not connected.
    case noDetector = "no-detector"
    /// Its client lost control, or left, before the picture's turn.
    case controlLost = "control-lost"
  }

  package var isReady = false
  package var received = 0
  /// Passed to the detector.
  package var passed = 0
  /// Replaced by a newer one before their turn.
  package var replaced = 0
  package var refused: [RefusalReason: Int] = [:]
  /// Passed to the detector, which could not process them or did not answer.
  package var failed = 0

  package init() {}
}
