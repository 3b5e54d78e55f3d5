import Platform
import Serial

/// Handles signals that end the process: removes unfinished files, and ends with the status of the
/// signal.
package enum Signals {
  /// Signals whose disposition a started program must not inherit.
  static let ignored = [SIGPIPE, SIGXFSZ]

  /// The process, or with a minus sign the group, to end with this process; 0 for none.
  nonisolated(unsafe) static var companion: pid_t = 0

  /// The port's link; nil if there is none.
  nonisolated(unsafe) static var link: PortLink.Removal?

  /// Whether a display's text is on the cursor's line on standard error, so that the line must be
  /// ended.
  nonisolated(unsafe) static var hasOpenLine = false

  private static let slotCount = 16
  /// The paths of unfinished files, in a form that a signal handler can use.
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
    // A closed pipe, or a file at its size limit, becomes an error of the write, which can clean
    // up.
    for number in ignored { signal(number, SIG_IGN) }
    _ = temporaries
    TerminalScreen.prepareForHandlers()
    // The parent process may have left signals blocked, as worker threads do.
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGINT, SIGTERM] {
      sigaddset(&ending, number)
      signal(number) { Signals.end(by: $0) }
    }
    sigprocmask(SIG_UNBLOCK, &ending, nil)
  }

  /// Opens standard descriptors that the parent process has closed, so that a file opened later
  /// does not become standard output.
  private static func openStandardDescriptors() {
    let modes = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
    for (number, mode) in modes where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      // The lowest free descriptor is this one. Using it fails just as if it were closed.
      _ = open("/dev/null", mode)
    }
  }

  /// Ends the process as the signal would. Safe in a signal handler.
  package static func end(by number: CInt) -> Never {
    TerminalScreen.restoreInHandler()
    if hasOpenLine { endLine() }
    removeTemporaries()
    if companion != 0 { kill(companion, SIGKILL) }
    _exit(128 + number)
  }

  /// Ends the open line, without waiting for a stalled terminal.
  private static func endLine() {
    var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    var newline = UInt8(ascii: "\n")
    if poll(&room, 1, 0) == 1 { _ = write(STDERR_FILENO, &newline, 1) }
  }

  /// Removes unfinished files. Safe in a signal handler.
  package static func removeTemporaries() {
    for slot in 0..<slotCount {
      if let path = temporaries[slot] { unlink(path) }
    }
    link?.carryOut()
  }

  /// Registers a file to remove if the process is ended. Returns its slot; nil if all are in use.
  static func register(_ path: String) -> Int? {
    for slot in 0..<slotCount where temporaries[slot] == nil {
      temporaries[slot] = strdup(path)
      return slot
    }
    return nil
  }

  /// Unregisters a file that is complete or removed. The string is not freed, because a handler may
  /// be using it.
  static func unregister(_ slot: Int?) {
    if let slot { temporaries[slot] = nil }
  }
}
