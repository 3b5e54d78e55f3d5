import Engine
import Platform
import SystemPackage

/// The files of a recording in parts: `session.jsonl` is the present one, `session.1.jsonl` the one
/// before it, and so on.
struct RotatedFiles: Hashable {
  /// The path of the present part, after all links, so that they still lead to it after a rotation.
  let current: String
  let keep: Int

  /// Returns the name of the `number`-th part before the present one, from 1.
  func old(_ number: Int) -> String {
    let path = FilePath(current)
    var name = "\(path.stem ?? "").\(number)"
    if let ending = path.extension { name += ".\(ending)" }
    return path.removingLastComponent().appending(name).string
  }

  /// Throws if a rotation would fail, or would rename over or remove a file that is not a part of a
  /// recording.
  func check(calledBy path: String) throws(Failure) {
    let folder = FilePath(current).removingLastComponent().string
    if access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 {
      throw Failure(
        .inputOutput,
        "\(path): error: earlier recordings cannot be kept next to it: \(Errno(rawValue: errno))")
    }
    for number in 1..<keep + 1 where !Outputs.isReplaceable(old(number)) {
      throw Failure(
        .usage,
        "\(old(number)): error: is not a trace, and is in the way of earlier recordings of "
          + "\(path); choose another name for the recording, or use --force")
    }
  }

  /// What has become of a file that was opened under the present name.
  enum Whereabouts {
    case present
    /// It has been renamed.
    case moved
    /// It has been deleted, and its content is lost.
    case deleted
  }

  /// Returns what has become of an open file.
  func whereabouts(of descriptor: FileDescriptor) -> Whereabouts {
    if let own = try? descriptor.stat(), own.linkCount == 0 { return .deleted }
    guard let own = FileIdentity(descriptor) else { return .moved }
    return FileIdentity(current) == own ? .present : .moved
  }

  /// Whether another bench is recording to the present name.
  var isClaimed: Bool {
    let options: FileDescriptor.OpenOptions = [.closeOnExec, .nonBlocking]
    guard let file = try? FileDescriptor.open(current, .readOnly, options: options) else {
      return false
    }
    defer { try? file.close() }
    return flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Makes the file `next` the present part, and the present one the newest of the old ones, each
  /// of which is renamed to the next number. The oldest is removed.
  func rotate(to next: String) throws(Errno) {
    if keep > 0, access(current, F_OK) == 0 {
      let free = (1...keep).first { access(old($0), F_OK) != 0 } ?? keep
      // Something else can have been put there since the start.
      guard Outputs.isReplaceable(old(free)) else { throw .fileExists }
      for number in stride(from: free, to: 1, by: -1) { try move(old(number - 1), old(number)) }
      try move(current, old(1))
    }
    // Somebody else can have put a file there since the start.
    guard keep > 0 || Outputs.isReplaceable(current) else { throw .fileExists }
    try move(next, current)
    // An earlier session can have kept more. Nobody has named them, so even with --force only
    // traces are removed.
    var number = keep + 1
    while Outputs.content(ofFile: old(number)) == .trace, Outputs.isReplaceable(old(number)),
      unlink(old(number)) == 0
    {
      number += 1
    }
  }

  private func move(_ from: String, _ to: String) throws(Errno) {
    if rename(from, to) != 0 { throw Errno(rawValue: errno) }
  }
}
