import Platform
import Serial
import Synchronization

/// Handles signals that end the process: removes unfinished files and the links to ports, and ends
/// with the status of the signal.
package enum Signals {
  /// Signals whose disposition a started program must not inherit.
  static let ignored = [SIGPIPE, SIGXFSZ]

  /// The process, or with a minus sign the group, to end with this process; 0 for none.
  static let companion = Atomic<pid_t>(0)

  /// Whether a display's text is on the cursor's line on standard error, so that the line must be
  /// ended.
  static let hasOpenLine = Atomic(false)

  /// What is removed if the process is ended, in a form that a signal handler can use.
  private enum Temporary {
    /// An unfinished file, by its path.
    case file(UnsafeMutablePointer<CChar>)
    /// The link to a port.
    case link(PortLink.Removal)
  }

  private typealias Slot = Atomic<UnsafePointer<Temporary>?>
  private static let slotCount = 64
  /// Safe on any thread: the pointer never changes, and each slot is an atomic. What a slot points
  /// to is never changed or freed, because a handler may be using it.
  nonisolated(unsafe) private static let temporaries: UnsafeMutablePointer<Slot> = {
    let slots = UnsafeMutablePointer<Slot>.allocate(capacity: slotCount)
    for slot in 0..<slotCount { (slots + slot).initialize(to: Slot(nil)) }
    return slots
  }()

  package static func install() {
    openStandardDescriptors()
    // A closed pipe, or a file at its size limit, becomes an error of the write, which can clean
    // up.
    for number in ignored { signal(number, SIG_IGN) }
    // Created here, because a handler cannot create them.
    _ = temporaries
    _ = (companion.load(ordering: .relaxed), hasOpenLine.load(ordering: .relaxed))
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
    if hasOpenLine.load(ordering: .relaxed) { endLine() }
    removeTemporaries()
    let companion = companion.load(ordering: .relaxed)
    if companion != 0 { kill(companion, SIGKILL) }
    _exit(128 + number)
  }

  /// Ends the open line, without waiting for a stalled terminal.
  private static func endLine() {
    var room = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    var newline = UInt8(ascii: "\n")
    if poll(&room, 1, 0) == 1 { _ = write(STDERR_FILENO, &newline, 1) }
  }

  /// Removes unfinished files and the links to ports. Safe in a signal handler.
  package static func removeTemporaries() {
    for slot in 0..<slotCount {
      switch temporaries[slot].load(ordering: .acquiring)?.pointee {
      case .file(let path)?: unlink(path)
      case .link(let removal)?: removal.carryOut()
      case nil: break
      }
    }
  }

  /// Registers a file to remove if the process is ended. Returns its slot; nil if all are in use.
  static func register(_ path: String) -> Int? {
    strdup(path).flatMap { register(.file($0)) }
  }

  /// Registers a link in the same way.
  static func register(_ link: PortLink.Removal) -> Int? { register(.link(link)) }

  private static func register(_ temporary: Temporary) -> Int? {
    let place = UnsafeMutablePointer<Temporary>.allocate(capacity: 1)
    place.initialize(to: temporary)
    for slot in 0..<slotCount {
      let result = temporaries[slot].compareExchange(
        expected: nil, desired: UnsafePointer(place), ordering: .acquiringAndReleasing)
      if result.exchanged { return slot }
    }
    place.deallocate()
    return nil
  }

  /// Unregisters what is complete or removed.
  static func unregister(_ slot: Int?) {
    if let slot { temporaries[slot].store(nil, ordering: .relaxed) }
  }
}
