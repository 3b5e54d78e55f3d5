import Platform
import SystemPackage

/// The files of a recording in parts: `session.jsonl` is the present one, `session.1.jsonl` the one
/// before it, and so on.
struct RotatedFiles: Hashable {
  private let current: FilePath
  private let keep: Int

  /// `current` is a file that exists; a link is followed, so that it goes on leading to the present
  /// part.
  init(_ current: String, keep: Int) {
    var path = FilePath(current)
    if let real = realpath(current, nil) {
      path = FilePath(platformString: real)
      free(real)
    }
    self.current = path
    self.keep = keep
  }

  /// Where the next part is begun: no trace's name, should it be left behind.
  var next: String { current.string + ".next" }

  /// The file that is the `number`-th before the present one, from 1.
  func old(_ number: Int) -> String {
    var name = "\(current.stem ?? "").\(number)"
    if let ending = current.extension { name += ".\(ending)" }
    return current.removingLastComponent().appending(name).string
  }

  /// Whether files can be made beside the present one.
  func check() throws(Errno) {
    let folder = current.removingLastComponent().string
    if access(folder.isEmpty ? "." : folder, W_OK | X_OK) != 0 { throw Errno(rawValue: errno) }
  }

  /// Where a file is that was opened under the present name.
  enum Whereabouts {
    case present
    /// It has another name.
    case moved
    /// It has no name any more: its contents are lost.
    case deleted
  }

  /// Where an open file is.
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

  /// Makes the next part the present one, and the present one the first of the old. The present
  /// name leads to a claimed file all the time, so that no other bench can come in between.
  func rotate() throws(Errno) {
    if keep > 0, access(current.string, F_OK) == 0, !isSame(current.string, old(1)) {
      try makeRoom()
      // Some file systems of memory cards have no links.
      if link(current.string, old(1)) != 0 { try move(current.string, old(1)) }
    }
    try move(next, current.string)
    removeSurplus()
  }

  /// Moves the old ones up by one, as far as there are any; the oldest makes room.
  private func makeRoom() throws(Errno) {
    let free = (1...keep).first { access(old($0), F_OK) != 0 } ?? keep
    for number in stride(from: free - 1, through: 1, by: -1) {
      try move(old(number), old(number + 1))
    }
  }

  /// Where fewer are kept than in an earlier session.
  private func removeSurplus() {
    var number = keep + 1
    while unlink(old(number)) == 0 { number += 1 }
  }

  /// Whether two names lead to one file: a session that was ended between the two steps left it so.
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
