/// A recording that was opened before its session exists.
final class LiveRecording {
  private var plain: Recording?
  private var rotating: RotatingRecording?

  /// `rotation` limits the recording's size; nil for one file, which is overwritten. With
  /// `isOfCommand`, it is overwritten only if the command after `--` does not fail.
  init(_ path: String, _ rotation: RotationPolicy?, isOfCommand: Bool) throws(Failure) {
    if let rotation {
      rotating = try RotatingRecording(path, rotation)
    } else {
      plain = isOfCommand ? try Recording(ofCommand: path) : try Recording(path)
    }
  }

  /// Transfers the single-file recording to the caller, once.
  func takePlain() -> Recording? { plain.take() }
  func takeRotating() -> RotatingRecording? { rotating.take() }
}
