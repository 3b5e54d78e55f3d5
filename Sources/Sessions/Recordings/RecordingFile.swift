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

  /// Opens a file, a device or a FIFO that exists. A file is locked, and its content stays. Fails
  /// with `wouldBlock` if another bench has locked it.
  init(claiming path: String) throws(Errno) {
    do {
      try self.init(
        FileDescriptor.open(path, .writeOnly, options: [.append, .noFollow, .closeOnExec]))
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Creates and locks a file. Fails if something is there.
  init(creating path: String, permissions: FilePermissions) throws(Errno) {
    try self.init(NewFile.create(path, permissions: permissions, options: .append))
  }

  /// Uses a device, a FIFO or another process's descriptor as it is.
  init(special path: String) throws(Errno) {
    do {
      descriptor = try FileDescriptor.open(path, .writeOnly, options: [.append, .closeOnExec])
    } catch {
      throw error as? Errno ?? .ioError
    }
    isRegular = false
    length = 0
  }

  /// Uses a descriptor that the program was started with.
  init(inherited number: CInt) throws(Errno) {
    descriptor = try FileDescriptor(rawValue: number).closeOnExecDuplicate()
    isRegular = false
    length = 0
  }

  private init(_ opened: FileDescriptor) throws(Errno) {
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

  /// Writes whole lines. If that fails, the earlier content is kept.
  mutating func append(_ lines: [UInt8]) throws(Errno) {
    do {
      try descriptor.writeAll(lines)
      length += Int64(lines.count)
    } catch {
      // Part of a line may have been written. Only a recording's own file is cut.
      if isRegular { _ = ftruncate(descriptor.rawValue, off_t(length)) }
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
