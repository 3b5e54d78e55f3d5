import Platform
import SystemPackage
import Traces

/// The files of a recording in parts: `session.jsonl` is the present one, `session.1.jsonl` the one
/// before it, and so on.
struct RotatedFiles: Hashable {
  private let current: FilePath
  private let keep: Int

  /// `current` must exist. A link is followed, so that it still leads to the present part after a
  /// rotation.
  init(_ current: String, keep: Int) {
    var path = FilePath(current)
    if let real = realpath(current, nil) {
      path = FilePath(platformString: real)
      free(real)
    }
    self.current = path
    self.keep = keep
  }

  /// The name of the next part until it is complete. It is not a trace's name, in case it is left
  /// behind.
  var next: String { current.string + ".next" }

  /// Returns the name of the `number`-th part before the present one, from 1.
  func old(_ number: Int) -> String {
    var name = "\(current.stem ?? "").\(number)"
    if let ending = current.extension { name += ".\(ending)" }
    return current.removingLastComponent().appending(name).string
  }

  /// Throws if files cannot be created next to the present one.
  func check() throws(Errno) {
    let folder = current.removingLastComponent().string
    if access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 { throw Errno(rawValue: errno) }
  }

  /// A file that a rotation would rename over or remove, but that is not a part of a recording; nil
  /// if there is none.
  var foreign: String? {
    keep == 0 ? nil : (1...keep).map(old).first { !Outputs.isReplaceable($0) }
  }

  /// Removes the beginning of a part that a bench left when it was ended during a rotation.
  func removeLeftover() {
    var status = stat()
    guard lstat(next, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), let head = Outputs.head(of: next)
    else { return }
    let beginning = Array("{\"format\": \"\(Header.format)\"".utf8)
    if head.starts(with: beginning) || beginning.starts(with: head) { unlink(next) }
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
    guard let own = try? descriptor.stat() else { return .moved }
    if own.linkCount == 0 { return .deleted }
    guard let named = try? current.stat() else { return .moved }
    let isSame = named.inode == own.inode && named.deviceID == own.deviceID
    return isSame ? .present : .moved
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

  /// Makes the next part the present one, and the present one the newest of the old ones. The
  /// present name always leads to a locked file, so that no other bench can take it.
  func rotate() throws(Errno) {
    if keep > 0, access(current.string, F_OK) == 0, !isSame(current.string, old(1)) {
      try makeRoom()
      // Some file systems of memory cards do not support links.
      if link(current.string, old(1)) != 0 { try move(current.string, old(1)) }
    }
    try move(next, current.string)
    removeSurplus()
  }

  /// Renames each old part to the next number. The oldest is removed.
  private func makeRoom() throws(Errno) {
    let free = (1...keep).first { access(old($0), F_OK) != 0 } ?? keep
    // Something else can have been put there since the start.
    guard Outputs.isReplaceable(old(free)) else { throw .fileExists }
    for number in stride(from: free - 1, through: 1, by: -1) {
      try move(old(number), old(number + 1))
    }
  }

  /// Removes surplus parts, if an earlier session kept more.
  private func removeSurplus() {
    var number = keep + 1
    while Outputs.isReplaceable(old(number)), unlink(old(number)) == 0 { number += 1 }
  }

  /// Whether two names lead to one file, as after a session that was ended between the two steps.
  private func isSame(_ one: String, _ other: String) -> Bool {
    guard let one = try? FilePath(one).stat(), let other = try? FilePath(other).stat() else {
      return false
    }
    return one.inode == other.inode && one.deviceID == other.deviceID
  }

  private func move(_ from: String, _ to: String) throws(Errno) {
    if rename(from, to) != 0 { throw Errno(rawValue: errno) }
  }
}
