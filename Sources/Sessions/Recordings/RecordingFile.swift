import Platform
import SystemPackage

/// A file that is locked for a recording and written in whole lines. However the bench ends, its
/// content is complete up to the last line.
struct RecordingFile: ~Copyable {
  let descriptor: FileDescriptor
  /// Whether it can be truncated and renamed; false for a device or a FIFO.
  let isRegular: Bool
  /// The end of the last whole line, in bytes.
  private(set) var length: Int64

  /// Opens the file, creating it if it is missing, and locks it. Its content stays. Fails with
  /// `wouldBlock` if another bench has locked it. `permissions` are those of a newly created file.
  init(
    claiming path: String, options: FileDescriptor.OpenOptions = [], permissions: FilePermissions
  ) throws(Errno) {
    let opened: FileDescriptor
    do {
      opened = try FileDescriptor.open(
        path, .writeOnly, options: options.union([.create, .append, .closeOnExec]),
        permissions: permissions)
    } catch {
      throw error as? Errno ?? .ioError
    }
    // A device or a FIFO can have any number of writers.
    let status = try? opened.stat()
    let isRegular = status?.type == .regular
    if isRegular, flock(opened.rawValue, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      try? opened.close()
      throw .wouldBlock
    }
    descriptor = opened
    self.isRegular = isRegular
    length = isRegular ? Int64(status?.size ?? 0) : 0
  }

  deinit {
    // Closing alone would leave the lock with a child process that is just being started.
    if isRegular { _ = flock(descriptor.rawValue, LOCK_UN) }
    try? descriptor.close()
  }

  /// Discards its content, if that is possible.
  mutating func empty() {
    if ftruncate(descriptor.rawValue, 0) == 0 { length = 0 }
  }

  /// Writes whole lines. If that fails, the earlier content is kept.
  mutating func append(_ lines: [UInt8]) throws(Errno) {
    do {
      try descriptor.writeAll(lines)
      length += Int64(lines.count)
    } catch {
      // Part of a line may have been written. Only a regular file can be truncated.
      _ = ftruncate(descriptor.rawValue, off_t(length))
      throw error as? Errno ?? .ioError
    }
  }

  /// Flushes the file to the disk. A full disk may be reported only now.
  func synchronize() throws(Errno) {
    if fsync(descriptor.rawValue) != 0, errno != EINVAL, errno != EROFS {
      throw Errno(rawValue: errno)
    }
  }
}
