#if os(Linux)
  import CEpoll
  package import SystemPackage

  extension HostSystem {
    /// Makes timers fire on time. The kernel can otherwise delay them by up to 50 us to coalesce
    /// them, a third of the bench's total lateness.
    package func sharpenTimers() {
      let path: FilePath = "/proc/self/timerslack_ns"
      guard let file = try? FileDescriptor.open(path, .writeOnly, options: .closeOnExec) else {
        return
      }
      _ = try? file.writeAll(Array("1".utf8))
      try? file.close()
    }

    // MARK: Terminals

    /// TIOCSPTLCK, `_IOW('T', 0x31, int)`, and TIOCGPTN, `_IOR('T', 0x30, unsigned int)`, which
    /// `unlockpt` and `ptsname` use.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    package func openPty() throws(Errno) -> (master: CInt, path: String) {
      let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
      guard master >= 0 else { throw Self.failure }
      var unlocked: CInt = 0
      var number: CUnsignedInt = 0
      guard ioctl(master, Self.setLock, &unlocked) == 0,
        ioctl(master, Self.getNumber, &number) == 0
      else {
        let cause = Self.failure
        close(master)
        throw cause
      }
      return (master, "/dev/pts/\(number)")
    }

    package func watch(_ path: String) throws(Errno) -> CInt {
      try watch(path, UInt32(IN_OPEN) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CLOSE_NOWRITE))
    }

    private func watch(_ path: String, _ events: UInt32) throws(Errno) -> CInt {
      let number = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
      guard number >= 0 else { throw Self.failure }
      guard inotify_add_watch(number, path, events) >= 0 else {
        let cause = Self.failure
        close(number)
        throw cause
      }
      return number
    }

    package func takeOpenings(_ watch: CInt) -> [Bool] {
      var openings: [Bool] = []
      // Events for a watched file itself have no name after them.
      let size = MemoryLayout<inotify_event>.size
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size * 256, alignment: 8)
      defer { buffer.deallocate() }
      while let count = try? read(watch, into: buffer), count >= size {
        for offset in stride(from: 0, through: count - size, by: size) {
          let mask = buffer.load(fromByteOffset: offset, as: inotify_event.self).mask
          if mask & UInt32(IN_OPEN) != 0 { openings.append(true) }
          if mask & UInt32(IN_CLOSE_WRITE | IN_CLOSE_NOWRITE) != 0 { openings.append(false) }
        }
      }
      return openings
    }

    /// EPOLLIN, EPOLLPRI and EPOLLET, whose types depend on the C library.
    private static let (hasBytes, hasPacket, once): (UInt32, UInt32, UInt32) = (1, 2, 1 << 31)

    /// The kernel puts what becomes ready into a list, at once and in order: a write when it ends,
    /// which inotify reports, and a change of settings, which is a packet at the master. The
    /// master's data is no help, as another thread of the kernel delivers it.
    package func watchOrder(
      of path: String, _ master: CInt
    ) throws(Errno) -> (order: CInt, writes: CInt) {
      let writes = try watch(path, UInt32(IN_MODIFY))
      let order = epoll_create1(O_CLOEXEC)
      for (number, events) in [(writes, Self.hasBytes), (master, Self.hasPacket)] {
        var event = epoll_event()
        event.events = events | Self.once
        event.data.fd = number
        guard order >= 0, epoll_ctl(order, EPOLL_CTL_ADD, number, &event) == 0 else {
          let cause = Self.failure
          close(writes)
          if order >= 0 { close(order) }
          throw cause
        }
      }
      return (order, writes)
    }

    package func takeOrder(_ order: CInt, writes: CInt) -> [SenderAction] {
      var events = [epoll_event](repeating: epoll_event(), count: 2)
      let count = epoll_wait(order, &events, 2, 0)
      var actions = events.prefix(Int(max(0, count))).map { event -> SenderAction in
        event.data.fd == writes ? .write : .change
      }
      var hasWritten = false
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
      defer { buffer.deallocate() }
      while let count = try? read(writes, into: buffer), count > 0 { hasWritten = true }
      // One that ended in the meantime is not in the list.
      if hasWritten, !actions.contains(.write) { actions.append(.write) }
      return actions
    }

    // MARK: Processes

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
      for name in (try? PrivateFolder.names(in: "/proc/self/fd")) ?? [] {
        if let number = CInt(name), number >= first { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
      }
      return 0
    }

    private typealias ChangeFolder =
      @convention(c) (
        UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>
      ) -> CInt

    /// Makes the child start in a folder. Returns whether that is possible.
    static func start(in folder: String, _ actions: inout posix_spawn_file_actions_t) -> Bool {
      // In glibc since 2.29, whose header declares it for C only.
      guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return false }
      return unsafeBitCast(symbol, to: ChangeFolder.self)(&actions, folder) == 0
    }

    static func emptyActions() -> posix_spawn_file_actions_t { .init() }
    static func emptyAttributes() -> posix_spawnattr_t { .init() }
    static var ownEnvironment: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { environ }
  }
#endif
