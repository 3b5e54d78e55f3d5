import Platform
import SystemPackage

/// A file that is claimed for a recording and written in whole lines: whatever ends the bench, what
/// is in it is whole up to the last line.
struct RecordingFile: ~Copyable {
  let descriptor: FileDescriptor
  /// Whether it can be cut and renamed; a device or a FIFO cannot.
  let isRegular: Bool
  /// Where the last whole line ends, bytes.
  private(set) var length: Int64

  /// Opens the file, creating it where there is none, and claims it; what is in it stays. Fails
  /// with `wouldBlock` where another bench has claimed it. `permissions`: of a file that is
  /// created.
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
    // A device or a FIFO may have any number of writers.
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
    // Closing alone would leave the claim to a program that is being started and has not let go
    // yet.
    if isRegular { _ = flock(descriptor.rawValue, LOCK_UN) }
    try? descriptor.close()
  }

  /// Throws away what is in it, where that can be done.
  mutating func empty() {
    if ftruncate(descriptor.rawValue, 0) == 0 { length = 0 }
  }

  /// Writes whole lines. Where that fails, what was there before stays.
  mutating func append(_ lines: [UInt8]) throws(Errno) {
    do {
      try descriptor.writeAll(lines)
      length += Int64(lines.count)
    } catch {
      // Part of a line may have got through. Only a file can be cut.
      _ = ftruncate(descriptor.rawValue, off_t(length))
      throw error as? Errno ?? .ioError
    }
  }

  /// Has what was written brought to the disk. A full one may show only now.
  func synchronize() throws(Errno) {
    if fsync(descriptor.rawValue) != 0, errno != EINVAL, errno != EROFS {
      throw Errno(rawValue: errno)
    }
  }
}
