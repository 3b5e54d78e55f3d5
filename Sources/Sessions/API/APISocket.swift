import Platform
import SystemPackage

/// A listening Unix socket that only its user can open. The file is removed with this object, or by
/// a signal that ends the process.
final class APISocket {
  let descriptor: FileDescriptor
  let path: String
  private let identity: Identity
  private let slot: Int?

  private struct Identity: Hashable {
    var device: UInt64
    var node: UInt64
  }

  /// Listens at `path`. A socket there is replaced if it is the user's and no process listens.
  init(_ path: String) throws(Failure) {
    let address = try Self.address(path)
    try Self.removeLeftover(path, address)
    let number = socket(AF_UNIX, streamSocket, 0)
    guard number >= 0 else { throw Self.failure(path, errno) }
    descriptor = FileDescriptor(rawValue: number)
    self.path = path
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    // Not by chmod after the bind: another user could connect in between.
    let before = umask(0o177)
    let isBound = Self.with(address) { bind(number, $0, $1) } == 0
    var cause = errno
    umask(before)
    guard isBound, listen(number, 4) == 0, let identity = Self.identity(path) else {
      if isBound {
        cause = errno
        unlink(path)
      }
      close(number)
      throw Self.failure(path, cause)
    }
    self.identity = identity
    slot = Signals.register(path)
  }

  deinit {
    Signals.unregister(slot)
    if Self.identity(path) == identity { unlink(path) }
    try? descriptor.close()
  }

  /// Returns the next connection; nil if there is none.
  func accept() -> FileDescriptor? {
    let number = Platform.accept(descriptor.rawValue, nil, nil)
    guard number >= 0 else { return nil }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    return FileDescriptor(rawValue: number)
  }

  /// The path for programs in other folders.
  var absolutePath: String {
    guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  // MARK: The file

  private static func failure(_ path: String, _ cause: CInt) -> Failure {
    Failure(
      .unavailable,
      "\(path): error: the socket cannot be created: \(Errno(rawValue: cause)); "
        + "choose another path with --api")
  }

  private static func address(_ path: String) throws(Failure) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let length = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.utf8.count <= length else {
      throw Failure(
        .usage,
        "\(path): error: the path of a socket has at most \(length) bytes, found \(path.utf8.count)"
      )
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return address
  }

  private static func with(
    _ address: sockaddr_un, _ body: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }

  private static func identity(_ path: String) -> Identity? {
    status(path).map {
      Identity(device: UInt64(truncatingIfNeeded: $0.st_dev), node: UInt64($0.st_ino))
    }
  }

  private static func removeLeftover(
    _ path: String, _ address: sockaddr_un
  ) throws(Failure) {
    guard let status = status(path) else { return }
    func taken(_ why: String) -> Failure {
      Failure(.unavailable, "\(path): error: \(why); choose another path with --api")
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw taken("already exists and is not a socket")
    }
    guard status.st_uid == getuid() else {
      throw taken("already exists and belongs to another user")
    }
    let probe = socket(AF_UNIX, streamSocket, 0)
    guard probe >= 0 else { throw failure(path, errno) }
    defer { close(probe) }
    // A process that listens but does not accept connections must not block this one.
    _ = fcntl(probe, F_SETFL, O_NONBLOCK)
    let isRefused = with(address) { connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    guard isRefused else { throw taken("another process listens there") }
    unlink(path)
  }
}
