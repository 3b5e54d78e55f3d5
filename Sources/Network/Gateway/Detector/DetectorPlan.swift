/// The detector to which clients' pictures are passed, and within which limits.
package struct DetectorPlan: Sendable {
  package let target: SenderTarget
  package var connection = SenderSettings.detector
  package var limits = PictureLimits()

  /// Parses `ws://HOST:PORT`.
  ///
  /// - Parameter allowsRemote: whether the detector can be on another computer.
  /// - Throws: `usage`.
  package init(_ text: String, allowsRemote: Bool = false) throws(NetworkError) {
    guard let target = try? SenderTarget(text), target.isPlainWebSocket else {
      throw NetworkError(
        .usage,
        "error: \"\(text)\" is not the address of a detector; expected ws://HOST:PORT, for example "
          + "ws://127.0.0.1:5900")
    }
    guard target.endpoint.isLoopback || allowsRemote else {
      throw NetworkError(
        .usage,
        "error: the detector at \(target.endpoint) is on another computer, and pictures of people "
          + "would reach it without encryption: give `--remote-detector` to pass them all the "
          + "same, or run it on this computer")
    }
    self.target = target
  }

  /// A warning for the log; nil if the detector is on this computer.
  package var warning: String? {
    let place = target.endpoint
    return place.isLoopback ? nil : "pictures are passed to \(place) without encryption"
  }
}
