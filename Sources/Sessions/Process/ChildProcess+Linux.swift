#if os(Linux)
  import Platform

  extension ChildProcess {
    private typealias CloseFrom =
      @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt

    /// Makes the child close all but the standard descriptors. Returns flags for its attributes.
    ///
    /// They are closed in the child: a flag on each descriptor would miss those that libraries
    /// open, or that another thread is opening at the same time.
    static func closeOthers(_ actions: inout posix_spawn_file_actions_t) -> CInt {
      let first = STDERR_FILENO + 1
      // In glibc since 2.34, whose header declares it for C only. Without it, descriptors are
      // marked instead.
      if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
        unsafeBitCast(symbol, to: CloseFrom.self)(&actions, first) == 0
      {
        return 0
      }
      guard let folder = opendir("/proc/self/fd") else { return 0 }
      defer { closedir(folder) }
      while let entry = readdir(folder) {
        let number = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { atoi($0) }
        }
        if number >= first { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
      }
      return 0
    }

    private typealias ChangeFolder =
      @convention(c) (
        UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
      ) -> CInt

    /// Makes the child start in a folder. Returns whether that is possible.
    static func start(
      in folder: String, _ actions: inout posix_spawn_file_actions_t
    ) -> Bool {
      // In glibc since 2.29, whose header declares it for C only.
      guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return false }
      return unsafeBitCast(symbol, to: ChangeFolder.self)(&actions, folder) == 0
    }

    static func emptyActions() -> posix_spawn_file_actions_t { .init() }
    static func emptyAttributes() -> posix_spawnattr_t { .init() }
    static var ownEnvironment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { environ }
  }
#endif
