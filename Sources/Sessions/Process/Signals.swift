import Engine
import Platform
import Serial
import Synchronization
import SystemPackage

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

/// Signals as readable events: each is a byte in a pipe.
///
/// A second request to end, while the first is being handled, ends the process at once.
enum SignalQueue {
  /// Written to by the handlers. Set before any of them is installed.
  private static let writeEnd = Atomic<CInt>(-1)
  /// The requests to end. Counted by handlers, on any thread, and read by workers.
  private static let requests = Atomic<CInt>(0)

  /// Requests to end: Ctrl-C, Ctrl-\\, SIGTERM, and the loss of the terminal.
  static let ending = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

  static var isEnding: Bool { requests.load(ordering: .relaxed) > 0 }

  /// Queues these signals, and the requests to end, from now on. Returns the descriptor that
  /// becomes readable.
  static func open(_ others: [CInt]) throws(Failure) -> FileDescriptor {
    do {
      let pipe = try FileDescriptor.closeOnExecPipe()
      for end in [pipe.readEnd, pipe.writeEnd] {
        _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
      }
      writeEnd.store(pipe.writeEnd.rawValue, ordering: .releasing)
      // Created here, because a handler cannot create it.
      _ = isEnding
      for number in ending where number != SIGHUP || !isIgnored(SIGHUP) {
        signal(number) { number in
          let before = SignalQueue.requests.wrappingAdd(1, ordering: .relaxed).oldValue
          if before > 0 { Signals.end(by: number) }
          SignalQueue.put(number)
        }
      }
      for number in others { signal(number) { SignalQueue.put($0) } }
      // The parent process may have left them blocked, which would hide a command's end.
      var queued = sigset_t()
      sigemptyset(&queued)
      for number in ending + others { sigaddset(&queued, number) }
      sigprocmask(SIG_UNBLOCK, &queued, nil)
      return pipe.readEnd
    } catch {
      throw Failure(.unavailable, "error: cannot create a pipe for signals: \(error)")
    }
  }

  /// Whether the signal is ignored, as under `nohup`.
  private static func isIgnored(_ number: CInt) -> Bool {
    let before = signal(number, SIG_IGN)
    guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
      return true
    }
    signal(number, before)
    return false
  }

  /// Returns the signals that have arrived, in order.
  static func take(
    from descriptor: FileDescriptor, on system: any SystemCalls = HostSystem.shared
  ) -> [CInt] {
    ((try? system.read(descriptor.rawValue, upTo: 64)) ?? []).map(CInt.init)
  }

  /// Makes the descriptor readable although no signal has arrived: there is other news.
  static func wake() { put(0) }

  /// Returns the first request to end that has arrived; nil if there is none.
  static func ending(from descriptor: FileDescriptor) -> CInt? {
    take(from: descriptor).first { ending.contains($0) }
  }

  /// Safe in a signal handler. If the pipe is full, enough signals are queued already.
  private static func put(_ number: CInt) {
    let cause = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd.load(ordering: .acquiring), &byte, 1)
    errno = cause
  }
}
