package import SystemPackage

#if canImport(Darwin)
  import Darwin
#endif

/// Descriptors that child processes do not inherit.
extension FileDescriptor {
  package static func closeOnExecPipe() throws(Errno) -> (
    readEnd: FileDescriptor, writeEnd: FileDescriptor
  ) {
    #if canImport(Darwin)
      // Darwin cannot do this in one step.
      var ends: [CInt] = [-1, -1]
      guard Darwin.pipe(&ends) == 0 else { throw Errno(rawValue: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    #else
      return try pipe(options: .closeOnExec)
    #endif
  }

  package func closeOnExecDuplicate() throws(Errno) -> FileDescriptor {
    let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw Errno(rawValue: errno) }
    return FileDescriptor(rawValue: copy)
  }

  /// Returns how many of `count` more descriptors can be opened, and why the next one cannot; nil
  /// if all can.
  package static func opening(_ count: Int) -> (opened: Int, why: Errno)? {
    var opened: [FileDescriptor] = []
    defer { for descriptor in opened { try? descriptor.close() } }
    while opened.count < count {
      do {
        opened.append(try .open("/dev/null", .readOnly, options: .closeOnExec))
      } catch {
        return (opened.count, Errno.of(error))
      }
    }
    return nil
  }
}
