import Platform
import Synchronization

/// What a terminal needs to be as it was before: kept where a signal handler finds it, and carried
/// out with calls that are safe there.
struct TerminalRestoration {
  /// Where the escape sequences go.
  let output: CInt
  /// The terminal whose keys are read; negative where there is none.
  let input: CInt
  /// How that terminal was set up.
  let mode: termios

  /// So long a terminal that takes nothing is waited for.
  private static let patienceMilliseconds: CInt = 200

  /// Ends a frame that was cut short, then styles, line wrapping, cursor and the other screen.
  nonisolated(unsafe) private static let farewell: UnsafeMutableBufferPointer<UInt8> = {
    let text = "\u{1B}[?2026l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(from: text.utf8)
    return bytes
  }()

  /// What is to be carried out, while `isPending`.
  nonisolated(unsafe) private static let slot =
    UnsafeMutablePointer<TerminalRestoration>.allocate(capacity: 1)
  private static let isPending = Atomic(false)

  /// Makes ready what a handler must not make itself. To be called before handlers are installed.
  static func prepare() {
    _ = farewell
    _ = slot
    _ = isPending.load(ordering: .relaxed)
  }

  /// Has the terminal restored should the process be ended. One at a time.
  func register() {
    precondition(!Self.isPending.load(ordering: .acquiring), "two screens on one terminal")
    Self.slot.initialize(to: self)
    Self.isPending.store(true, ordering: .releasing)
  }

  /// Restores the terminal, if something is to be restored. Safe in a signal handler.
  ///
  /// It counts as done only afterwards: a handler that comes in between, and ends the process, does
  /// it once more, which does no harm.
  static func carryOut() {
    guard isPending.load(ordering: .acquiring) else { return }
    slot.pointee.carryOut()
    isPending.store(false, ordering: .releasing)
  }

  private func carryOut() {
    // A process in the background may do this too: it would be stopped for it otherwise.
    var background = sigset_t()
    var before = sigset_t()
    sigemptyset(&background)
    sigaddset(&background, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &background, &before)
    var sent = 0
    while sent < Self.farewell.count {
      let count = write(output, Self.farewell.baseAddress! + sent, Self.farewell.count - sent)
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
      // Keys that were pressed meanwhile were not meant for the shell.
      tcflush(input, TCIFLUSH)
      var mode = mode
      tcsetattr(input, TCSANOW, &mode)
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
