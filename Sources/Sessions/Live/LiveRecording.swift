/// A recording that was opened before there is a session to write down.
final class LiveRecording {
  private var plain: Recording?
  private var rotating: RotatingRecording?

  /// `rotation`: how it is kept in bounds; nil: it is one file, written anew.
  init(_ path: String, _ rotation: RotationPolicy?) throws(Failure) {
    if let rotation {
      rotating = try RotatingRecording(path, rotation)
    } else {
      plain = try Recording(path)
    }
  }

  /// Hands over the one that it is, once.
  func takePlain() -> Recording? { plain.take() }
  func takeRotating() -> RotatingRecording? { rotating.take() }
}
