#if os(Linux)
  import SystemPackage

  extension Poller {
    /// Has timers go off when they are due. The kernel may otherwise gather them for 50 us, which
    /// would be a third of all the bench is late by.
    package static func sharpenTimers() {
      let path: FilePath = "/proc/self/timerslack_ns"
      guard let file = try? FileDescriptor.open(path, .writeOnly, options: .closeOnExec) else {
        return
      }
      _ = try? file.writeAll(Array("1".utf8))
      try? file.close()
    }
  }
#endif
