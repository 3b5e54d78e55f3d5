package import Platform
import Synchronization
package import SystemPackage

/// Which file it is, whatever its name: links of both kinds, `/dev/stdin` and `/proc/self/fd/3` all
/// lead to the same one.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt64
  private let inode: UInt64

  package init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
  }

  /// Follows links. Nil if there is no such file.
  package init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  package init?(_ descriptor: FileDescriptor) {
    var status = stat()
    guard fstat(descriptor.rawValue, &status) == 0 else { return nil }
    self.init(status)
  }
}

/// The regular files that a command reads. None of its outputs replaces one of them.
package enum OpenedFiles {
  /// Nil if they are not kept: only a program that runs a single command keeps them.
  private static let known = Mutex<Set<FileIdentity>?>(nil)

  /// Keeps every file that is opened from now on.
  package static func keep() { known.withLock { $0 = $0 ?? [] } }

  /// Adds a file that will be read.
  package static func insert(_ file: FileIdentity) { known.withLock { _ = $0?.insert(file) } }

  package static func contains(_ file: FileIdentity) -> Bool {
    known.withLock { $0?.contains(file) ?? false }
  }

  /// Adds a file that has been opened. Pipes and devices are never replaced.
  static func insert(_ descriptor: FileDescriptor) {
    known.withLock {
      guard $0 != nil else { return }
      var status = stat()
      guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return
      }
      $0?.insert(FileIdentity(status))
    }
  }
}

/// The folder for files that are needed for a short time.
package enum TemporaryFolder {
  /// `TMPDIR`, or `/tmp` if that is not set or empty. Only `/` itself ends with a slash.
  package static var path: String {
    path(getenv("TMPDIR").map { String(cString: $0) })
  }

  static func path(_ variable: String?) -> String {
    var path = variable ?? ""
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "/tmp" : path
  }
}
