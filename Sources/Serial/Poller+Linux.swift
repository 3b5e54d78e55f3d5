#if os(Linux)
  import SystemPackage

  extension Poller {
    /// Has timers go off when they are due. The kernel may otherwise gather them for 50 us, which would
    /// be a third of all the bench is late by.
    package static func sharpenTimers() {
      guard let file = try? FileDescriptor.open("/proc/self/timerslack_ns", .writeOnly) else {
        return
      }
      _ = try? file.writeAll(Array("1".utf8))
      try? file.close()
    }
  }
#endif
