import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A trace that is written while it happens: every whole line is in the file at once, so whatever ends
/// the bench, the recording is whole up to the last line.
struct Recording: ~Copyable {
  let path: String
  private let descriptor: FileDescriptor
  /// Where the last whole line ends.
  private var length: Int64 = 0
  private(set) var isBroken = false

  private var hasBegun = false

  /// Opens the file and claims it. What is in it stays until the first line is written.
  init(_ path: String) throws(Failure) {
    self.path = path
    descriptor = try Self.claim(path)
  }

  private static func claim(_ path: String) throws(Failure) -> FileDescriptor {
    do {
      let descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .append, .closeOnExec],
        permissions: .init(rawValue: 0o644))
      // A device or a FIFO may have any number of writers.
      let isFile = (try? FilePath(path).stat())?.type == .regular
      guard isFile, flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else {
        return descriptor
      }
      try? descriptor.close()
    } catch {
      throw Failure(writing: path, error)
    }
    throw Failure(.inputOutput, "\(path): error: another bench is recording to this file")
  }

  deinit { try? descriptor.close() }

  /// Writes whole lines. Where that fails, what was there before stays and nothing more is written.
  mutating func write(_ lines: [UInt8]) throws(Failure) {
    guard !isBroken, !lines.isEmpty else { return }
    do {
      // Only a file can be emptied.
      if !hasBegun { _ = ftruncate(descriptor.rawValue, 0) }
      hasBegun = true
      try descriptor.writeAll(lines)
      length += Int64(lines.count)
    } catch {
      isBroken = true
      // Part of a line may have got through. Only a file can be cut.
      _ = ftruncate(descriptor.rawValue, off_t(length))
      throw Failure(writing: path, error)
    }
  }

  /// The session is over. A full disk may show only now.
  mutating func finish() throws(Failure) {
    guard !isBroken else { return }
    if fsync(descriptor.rawValue) != 0, errno != EINVAL, errno != EROFS {
      isBroken = true
      throw Failure(writing: path, Errno(rawValue: errno))
    }
  }
}
