/// A recording that was opened before its session exists.
final class LiveRecording {
  private var plain: Recording?
  private var rotating: RotatingRecording?

  /// `rotation` limits the recording's size; nil for one file, which replaces an earlier one. With
  /// `isOfCommand`, it replaces that only if the command after `--` does not fail. `isPrivate` is
  /// whether a new file is readable by its owner only, because it contains what clients send.
  init(
    _ path: String, _ rotation: RotationPolicy?, isOfCommand: Bool, isPrivate: Bool
  ) throws(Failure) {
    if let rotation {
      rotating = try RotatingRecording(path, rotation)
    } else {
      let permissions = isPrivate ? Recording.privatePermissions : Recording.permissions
      plain =
        isOfCommand
        ? try Recording(ofCommand: path, permissions: permissions)
        : try Recording(path, permissions: permissions)
    }
  }

  /// Transfers the single-file recording to the caller, once.
  func takePlain() -> Recording? { plain.take() }
  func takeRotating() -> RotatingRecording? { rotating.take() }
}
