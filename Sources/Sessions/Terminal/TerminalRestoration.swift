import Platform
import Synchronization

/// The state to which a terminal is restored. It is kept where a signal handler finds it, and
/// restored with calls that are safe there.
struct TerminalRestoration {
  /// The terminal that receives the escape sequences.
  let output: CInt
  /// The terminal whose keys are read; negative if there is none.
  let input: CInt
  /// That terminal's original mode.
  let mode: termios

  /// How long to wait for a stalled terminal.
  private static let patienceMilliseconds: CInt = 200

  /// The restoration to carry out. Safe on any thread: the pointer never changes, and what it
  /// points to is written only while `isPending` is false, and read only while it is true.
  nonisolated(unsafe) private static let slot =
    UnsafeMutablePointer<TerminalRestoration>.allocate(capacity: 1)
  private static let isPending = Atomic(false)

  /// Prepares what a handler cannot allocate. Call it before handlers are installed.
  static func prepare() {
    _ = slot
    _ = isPending.load(ordering: .relaxed)
  }

  /// Registers the terminal to be restored if the process is ended. Only one at a time.
  func register() {
    precondition(!Self.isPending.load(ordering: .acquiring), "two screens on one terminal")
    Self.slot.initialize(to: self)
    Self.isPending.store(true, ordering: .releasing)
  }

  /// Restores the terminal if one is registered. Safe in a signal handler.
  ///
  /// It is marked as done only afterwards: a handler that interrupts it and ends the process
  /// restores the terminal again, which is harmless.
  static func carryOut() {
    guard isPending.load(ordering: .acquiring) else { return }
    slot.pointee.carryOut()
    isPending.store(false, ordering: .releasing)
  }

  private func carryOut() {
    // Allows this in a background process too, which would otherwise be stopped.
    var background = sigset_t()
    var before = sigset_t()
    sigemptyset(&background)
    sigaddset(&background, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &background, &before)
    // Ends a redraw that was cut short, then resets styles, line wrapping, the cursor and the other
    // screen.
    let sequence: StaticString = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    var sent = 0
    while sent < sequence.utf8CodeUnitCount {
      let count = write(output, sequence.utf8Start + sent, sequence.utf8CodeUnitCount - sent)
      if count > 0 {
        sent += count
      } else if errno == EAGAIN {
        var room = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        if poll(&room, 1, Self.patienceMilliseconds) != 1 { break }
      } else if errno != EINTR {
        break
      }
    }
    if input >= 0 {
      // Keys pressed meanwhile were not meant for the shell.
      tcflush(input, TCIFLUSH)
      var mode = mode
      tcsetattr(input, TCSANOW, &mode)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
