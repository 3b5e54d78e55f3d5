package import SystemPackage

/// A new folder for this process's files that only this user can enter. It is removed with this
/// value; its files must have been removed before.
///
/// A process that is killed leaves its folder behind. The next one that creates a folder in the
/// same place removes it: a folder whose name, owner and mode are those of ours and that has a
/// marker with our text, which a living process keeps locked.
package struct PrivateFolder: ~Copyable, Sendable {
  package let path: String
  /// The marker's path, for a signal handler that removes the folder.
  package var marker: String { "\(path)/\(Self.markerName)" }
  /// The open marker, which is locked.
  private let lock: FileDescriptor

  private static let prefix = "sentrybench-"
  private static let markerName = ".in-use"
  /// The Python package writes the same text.
  private static let markerText =
    "A folder of a running sentrybench. The next one removes it when that has ended.\n"
  /// How deep folders in a folder can be.
  private static let depthMax = 8

  /// Creates a folder in `parent`, and removes those that killed processes have left there.
  package init(in parent: String) throws(Errno) {
    Self.removeLeftovers(in: parent)
    var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let number = open("\(path)/\(Self.markerName)", flags, 0o600)
    // The text comes last, so that no other process removes the folder before it is locked.
    guard number >= 0, flock(number, LOCK_EX | LOCK_NB) == 0, Self.put(Self.markerText, number)
    else {
      let cause = Errno(rawValue: errno)
      if number >= 0 { close(number) }
      unlink("\(path)/\(Self.markerName)")
      rmdir(path)
      throw cause
    }
    self.path = path
    lock = FileDescriptor(rawValue: number)
  }

  deinit {
    unlink(marker)
    rmdir(path)
    try? lock.close()
  }

  private static func put(_ text: String, _ number: CInt) -> Bool {
    let bytes = Array(text.utf8)
    return write(number, bytes, bytes.count) == bytes.count
  }

  // MARK: What others have left

  private static func removeLeftovers(in parent: String) {
    for name in (try? names(in: parent)) ?? [] where name.hasPrefix(prefix) {
      let number = openFolder(name, in: nil, parent)
      guard number >= 0 else { continue }
      defer { close(number) }
      guard isOurs(number), let lock = takeLock(in: number) else { continue }
      defer { close(lock) }
      empty(number, depth: 0)
      unlinkat(number, markerName, 0)
      rmdir("\(parent)/\(name)")
    }
  }

  private static func isOurs(_ folder: CInt) -> Bool {
    var facts = stat()
    return fstat(folder, &facts) == 0 && facts.st_uid == geteuid()
      && facts.st_mode & 0o7777 == 0o700
  }

  /// Locks the marker of a folder. Returns its descriptor; nil if it is in use, or is not ours.
  private static func takeLock(in folder: CInt) -> CInt? {
    let number = openat(folder, markerName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard number >= 0 else { return nil }
    var facts = stat()
    var text = [UInt8](repeating: 0, count: markerText.utf8.count + 1)
    let count = text.count
    if flock(number, LOCK_EX | LOCK_NB) == 0, fstat(number, &facts) == 0,
      facts.st_mode & S_IFMT == S_IFREG, facts.st_uid == geteuid(),
      read(number, &text, count) == count - 1, text.dropLast().elementsEqual(markerText.utf8)
    {
      return number
    }
    close(number)
    return nil
  }

  /// Removes everything in a folder but the marker. Links are removed, not followed.
  private static func empty(_ folder: CInt, depth: Int) {
    for name in (try? names(in: folder)) ?? [] where depth > 0 || name != markerName {
      if unlinkat(folder, name, 0) == 0 { continue }
      guard depth < depthMax else { continue }
      let inner = openFolder(name, in: folder, nil)
      guard inner >= 0 else { continue }
      empty(inner, depth: depth + 1)
      close(inner)
      unlinkat(folder, name, AT_REMOVEDIR)
    }
  }

  private static func openFolder(_ name: String, in folder: CInt?, _ parent: String?) -> CInt {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    if let folder { return openat(folder, name, flags) }
    return open("\(parent ?? ".")/\(name)", flags)
  }

  /// Returns the names of everything in a folder.
  package static func names(in path: String) throws(Errno) -> [String] {
    try names(in: AT_FDCWD, path)
  }

  private static func names(in folder: CInt, _ path: String = ".") throws(Errno) -> [String] {
    let copy = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    guard let stream = fdopendir(copy) else {
      let cause = Errno(rawValue: errno)
      close(copy)
      throw cause
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
