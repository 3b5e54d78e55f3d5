#if canImport(Darwin)
  import Darwin
  import SystemPackage

  extension ClientWatch {
    /// Darwin does not report who opens a pty. A pipe that never becomes readable takes the place
    /// of the notifications, and only the master's hang-up is known.
    static func openSource(_ path: String) throws(Errno) -> FileDescriptor {
      var ends: (CInt, CInt) = (0, 0)
      let status = withUnsafeMutablePointer(to: &ends) {
        $0.withMemoryRebound(to: CInt.self, capacity: 2) { pipe($0) }
      }
      guard status == 0 else { throw Errno(rawValue: errno) }
      return FileDescriptor(rawValue: ends.0)
    }

    static func readOpenings(_ descriptor: FileDescriptor) -> [Bool] { [] }
  }
#endif
