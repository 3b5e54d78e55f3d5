#if canImport(Darwin)
  import Darwin
  package import SystemPackage

  extension HostSystem {
    /// Darwin coalesces timers by quality of service, so there is nothing to set.
    package func sharpenTimers() {}

    // MARK: Terminals

    package func openPty() throws(Errno) -> (master: CInt, path: String) {
      let master = posix_openpt(O_RDWR | O_NOCTTY)
      guard master >= 0 else { throw Self.failure }
      guard grantpt(master) == 0, unlockpt(master) == 0, let name = ptsname(master) else {
        let cause = Self.failure
        close(master)
        throw cause
      }
      makeNonblocking(master)
      return (master, String(cString: name))
    }

    /// Darwin does not report who opens a pty. A pipe that never becomes readable takes the place
    /// of the notifications, and only the master's hang-up is known.
    package func watch(_ path: String) throws(Errno) -> CInt { try pipe().readEnd }

    package func takeOpenings(_ watch: CInt) -> [Bool] { [] }

    /// Darwin does not report this either.
    package func watchOrder(
      of path: String, _ master: CInt
    ) throws(Errno) -> (order: CInt, writes: CInt) {
      (try pipe().readEnd, try pipe().readEnd)
    }

    package func takeOrder(_ order: CInt, writes: CInt) -> [SenderAction] { [] }

    // MARK: Processes

    /// Makes the child close all but the standard descriptors. Returns flags for its attributes.
    static func closeOthers(_ actions: inout posix_spawn_file_actions_t?) -> CInt {
      // Standard output is a copy of standard error.
      for number in [STDIN_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addinherit_np(&actions, number)
      }
      return CInt(POSIX_SPAWN_CLOEXEC_DEFAULT)
    }

    /// Makes the child start in a folder. Returns whether that is possible.
    static func start(in folder: String, _ actions: inout posix_spawn_file_actions_t?) -> Bool {
      posix_spawn_file_actions_addchdir_np(&actions, folder) == 0
    }

    // On Darwin these are pointers that its functions fill in.
    static func emptyActions() -> posix_spawn_file_actions_t? { nil }
    static func emptyAttributes() -> posix_spawnattr_t? { nil }
    static var ownEnvironment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
      _NSGetEnviron().pointee
    }
  }
#endif
