import Platform
import Serial

/// Ctrl-C and friends: what is half written is removed, and the status says what happened.
package enum Signals {
  /// Those that a program which is started must not inherit.
  static let ignored = [SIGPIPE, SIGXFSZ]

  /// The process, or with a minus the group, that is not to outlive us; 0: none.
  nonisolated(unsafe) static var companion: pid_t = 0

  /// The port's link; nil: there is none.
  nonisolated(unsafe) static var link: PortLink.Removal?

  /// Whether the cursor stands behind a display's text on standard error: that line is to be ended.
  nonisolated(unsafe) static var hasOpenLine = false

  private static let slotCount = 16
  /// The paths of unfinished files, for a handler that may do next to nothing.
  nonisolated(unsafe) private static let temporaries:
    UnsafeMutablePointer<
      UnsafeMutablePointer<CChar>?
    > = {
      let slots = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: slotCount)
      slots.initialize(repeating: nil, count: slotCount)
      return slots
    }()

  package static func install() {
    openStandardDescriptors()
    // A closed pipe or a file that may not grow is an error of the write, which then can tidy up.
    for number in ignored { signal(number, SIG_IGN) }
    _ = temporaries
    TerminalScreen.prepareForHandlers()
    // Whoever started us may have left signals blocked, as worker threads have them.
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGINT, SIGTERM] {
      sigaddset(&ending, number)
      signal(number) { Signals.end(by: $0) }
    }
    sigprocmask(SIG_UNBLOCK, &ending, nil)
  }

  /// Whoever started us may have closed them: a file that is opened must not become standard
  /// output.
  private static func openStandardDescriptors() {
    let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
    for (number, mode) in modes where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      // The lowest that is free is this one. Using it fails as it did while it was closed.
      _ = open("/dev/null", mode)
    }
  }

  /// Ends the process as a signal asks. Safe in a signal handler.
  package static func end(by number: CInt) -> Never {
    TerminalScreen.restoreInHandler()
    if hasOpenLine { endLine() }
    removeTemporaries()
    if companion != 0 { kill(companion, SIGKILL) }
    _exit(128 + number)
  }

  /// A terminal that takes nothing is not waited for.
  private static func endLine() {
    var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    var newline = UInt8(ascii: "\n")
    if poll(&room, 1, 0) == 1 { _ = write(STDERR_FILENO, &newline, 1) }
  }

  /// Removes what is half written. Safe in a signal handler.
  package static func removeTemporaries() {
    for slot in 0..<slotCount {
      if let path = temporaries[slot] { unlink(path) }
    }
    link?.carryOut()
  }

  /// Has a file removed should the process be ended; returns its slot, nil where there is none
  /// left.
  static func register(_ path: String) -> Int? {
    for slot in 0..<slotCount where temporaries[slot] == nil {
      temporaries[slot] = strdup(path)
      return slot
    }
    return nil
  }

  /// The file is whole, or gone. The string is not freed: a handler may be looking at it.
  static func unregister(_ slot: Int?) {
    if let slot { temporaries[slot] = nil }
  }
}
