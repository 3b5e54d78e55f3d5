import Pictures
import Platform
import Sketches
import Synchronization
import SystemPackage

/// The view of a live session on the terminal's alternate screen, so that the original content
/// returns.
///
/// For a single-threaded loop that polls. Nothing here blocks:
///
///     woken:     nextRedraw, anything changed, or a while after `wantsToWrite` -> draw()
///     signals:   SIGWINCH -> resized()            SIGTSTP -> suspend()
///     the end:   leave(); in a handler or a trap -> TerminalScreen.restoreInHandler()
///
/// A terminal that disappears is not an error of the session: `isGone` is set, and drawing stops.
package struct TerminalScreen: ~Copyable {
  private static let greeting = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l".utf8)

  private let output: TerminalDescriptor
  private let input: FileDescriptor
  private var keys: TerminalKeys
  private var screen: LiveScreen
  private var limiter = RedrawLimiter()
  private var isEntered = false
  /// What the terminal shows; nil if unknown.
  private var shown: [String]?
  private var shownLook: LiveStatus?
  /// Whether the picture continues to change without any input.
  private var isSettling = false
  /// The bytes that the terminal has not taken yet.
  private var unwritten: ArraySlice<UInt8> = []
  /// Whether the terminal was closed or its connection was lost.
  private(set) var isGone = false

  /// Nil if the output is not a terminal. The characters and colours it can show are derived from
  /// `environment`.
  init?(
    output: FileDescriptor = .standardOutput, input: FileDescriptor = .standardInput,
    environment: (String) -> String? = { getenv($0).map { String(cString: $0) } }
  ) {
    guard let terminal = TerminalDescriptor(reopening: output) else { return nil }
    let size = terminal.size
    self.output = terminal
    self.input = input
    keys = TerminalKeys(reopening: input)
    screen = LiveScreen(
      size: size, glyphs: Self.glyphs(environment),
      inColour: (environment("NO_COLOR") ?? "").isEmpty && environment("TERM") != "dumb")
  }

  deinit {
    if isEntered { TerminalRestoration.carryOut() }
  }

  private var descriptor: CInt { output.descriptor.rawValue }

  /// Whether part of a redraw waits for the terminal.
  var wantsToWrite: Bool { !unwritten.isEmpty }

  /// Whether keys can be read at all.
  var hasKeys: Bool { keys.descriptor != nil }

  /// Readable when a key was pressed; nil if keys are not for the view.
  var keyDescriptor: FileDescriptor? { isEntered && !isGone ? keys.ours : nil }

  /// Returns the keys pressed since the last call.
  mutating func takeKeys() -> [UInt8] { isEntered && !isGone ? keys.take() : [] }

  /// When to call `draw` again even if nothing happens, because a redraw was postponed or the shaft
  /// moves; nil if not before something changes.
  var nextRedraw: Instant? { !isEntered || isGone || wantsToWrite ? nil : limiter.next }

  // MARK: -

  /// Takes over the terminal. In the background this waits until the process is in the foreground.
  mutating func enter() {
    guard !isEntered, !isGone, output.isInForeground else { return }
    TerminalRestoration.prepare()
    var mode = termios()
    let hasKeys = tcgetattr(input.rawValue, &mode) == 0
    TerminalRestoration(
      output: descriptor, input: hasKeys ? input.rawValue : -1, mode: mode
    ).register()
    if hasKeys {
      // Ctrl-C and Ctrl-Z stay signals. Ctrl-S is disabled: it would freeze the display.
      mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
      mode.c_iflag &= ~tcflag_t(IXON)
      tcsetattr(input.rawValue, TCSANOW, &mode)
    }
    isEntered = true
    TerminalTraps.install()
    unwritten = Self.greeting[...]
    repaint()
    flush()
  }

  mutating func leave() {
    guard isEntered else { return }
    isEntered = false
    unwritten = []
    limiter.cancel()
    TerminalRestoration.carryOut()
  }

  /// Stops the process as Ctrl-Z does. Returns when it continues; everything is then redrawn.
  mutating func suspend() {
    leave()
    Self.stop()
    enter()
    resized()
  }

  /// Notes that the terminal may have another size.
  mutating func resized() {
    screen.size = output.size
    repaint()
  }

  /// Notes that the session was rewound, so that earlier redraws do not delay the next.
  mutating func rewind() { limiter = RedrawLimiter() }

  /// Draws the status if the picture has changed and a redraw is due. If it is not due, see
  /// `nextRedraw`.
  mutating func draw(_ status: LiveStatus, now: Instant) {
    // After `bg` and `fg`.
    if !isEntered { enter() }
    flush()
    guard isEntered, !isGone else { return }
    let look = status.asShown
    guard look != shownLook || isSettling || shown == nil else {
      return limiter.cancel()
    }
    guard !wantsToWrite, limiter.admit(at: now) else {
      limiter.wantAnother()
      return
    }
    let lines = screen.lines(for: status)
    unwritten = ScreenDifference.bytes(from: shown, to: lines)[...]
    shown = lines
    shownLook = look
    isSettling = status.changesByItself
    if isSettling { limiter.wantAnother() }
    flush()
  }

  /// Writes as much as the terminal takes now.
  mutating func flush() {
    guard wantsToWrite, !isGone else { return }
    do {
      unwritten.removeFirst(try output.write(unwritten))
    } catch {
      isGone = true
      unwritten = []
    }
  }

  /// Restores the terminal. Safe in a signal handler, and does nothing without a screen.
  package static func restoreInHandler() { TerminalRestoration.carryOut() }

  /// Call this before handlers that restore the terminal are installed.
  static func prepareForHandlers() { TerminalRestoration.prepare() }

  // MARK: -

  /// Stops the process by SIGTSTP, not SIGSTOP, which would also stop a process that no shell can
  /// continue, such as the first one of a container.
  private static func stop() {
    var handling = sigaction()
    sigaction(SIGTSTP, nil, &handling)
    signal(SIGTSTP, SIG_DFL)
    var stopping = sigset_t()
    var before = sigset_t()
    sigemptyset(&stopping)
    sigaddset(&stopping, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stopping, &before)
    // Sent to this thread, so that it has taken effect before the handler is reinstalled.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    sigaction(SIGTSTP, &handling, nil)
  }

  private mutating func repaint() {
    shown = nil
    shownLook = nil
    limiter.wantAnother()
  }

  /// Chooses the characters by the first of these variables that is set. A Linux console's font has
  /// no Braille.
  private static func glyphs(_ environment: (String) -> String?) -> GlyphSet {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    let isUTF8 = name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    return isUTF8 && environment("TERM") != "linux" ? .unicode : .ascii
  }
}

/// A terminal whose writes never block.
///
/// Whether a write blocks is a property of the open file, which is shared with the shell; so the
/// terminal is opened again. If that fails, writes may block.
struct TerminalDescriptor: ~Copyable {
  /// Larger than any real terminal, although a pseudo-terminal may report more.
  private static let columnsMax = 1_000
  private static let rowsMax = 500

  let descriptor: FileDescriptor
  private let isOwn: Bool

  /// Nil if it is not a terminal.
  init?(reopening original: FileDescriptor) {
    guard isatty(original.rawValue) == 1 else { return nil }
    let reopened = Self.reopen(original, O_WRONLY)
    isOwn = reopened != nil
    descriptor = reopened ?? original
  }

  /// Opens a terminal again, without blocking. Nil if that fails, or if it is not a terminal.
  static func reopen(_ original: FileDescriptor, _ mode: CInt) -> FileDescriptor? {
    var name = [CChar](repeating: 0, count: 256)
    guard isatty(original.rawValue) == 1,
      ttyname_r(original.rawValue, &name, name.count) == 0
    else { return nil }
    let number = open(name, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return number >= 0 ? FileDescriptor(rawValue: number) : nil
  }

  deinit {
    if isOwn { try? descriptor.close() }
  }

  /// The terminal's size, or the usual one if it does not report one.
  var size: ScreenSize {
    var size = winsize()
    let answer = ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size)
    guard answer == 0, size.ws_col > 0, size.ws_row > 0 else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(
      columns: min(Int(size.ws_col), Self.columnsMax), rows: min(Int(size.ws_row), Self.rowsMax))
  }

  /// Whether the process can use it now. A terminal other than its controlling one can always be
  /// used.
  var isInForeground: Bool {
    let group = tcgetpgrp(descriptor.rawValue)
    return group < 0 || group == getpgrp()
  }

  /// Writes as many bytes as the terminal takes now. Returns their number.
  func write(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    do throws(Errno) {
      return try HostSystem.shared.write(descriptor.rawValue, bytes)
    } catch {
      if error == .wouldBlock { return 0 }
      throw error
    }
  }
}

/// The keys of a terminal, whose reads never block: it is opened again, as `TerminalDescriptor` is.
struct TerminalKeys: ~Copyable {
  /// More than a person types between two reads.
  private static let countMax = 256

  /// Nil if it is not a terminal or could not be opened again.
  let descriptor: FileDescriptor?
  /// Whether the terminal was closed, so that no more keys follow.
  private(set) var isGone = false

  init(reopening original: FileDescriptor) {
    descriptor = TerminalDescriptor.reopen(original, O_RDONLY)
  }

  deinit { try? descriptor?.close() }

  /// The descriptor while keys are for this process. In the background they are the shell's, and a
  /// process that reads them is stopped.
  var ours: FileDescriptor? {
    guard let descriptor, !isGone, tcgetpgrp(descriptor.rawValue) == getpgrp() else { return nil }
    return descriptor
  }

  /// Returns the keys pressed since the last call.
  mutating func take() -> [UInt8] {
    guard let descriptor = ours else { return [] }
    do throws(Errno) {
      let bytes = try HostSystem.shared.read(descriptor.rawValue, upTo: Self.countMax)
      isGone = bytes.isEmpty
      return bytes
    } catch {
      isGone = error != .wouldBlock
      return []
    }
  }
}

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
  private static let stallMilliseconds: CInt = 200

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
        if poll(&room, 1, Self.stallMilliseconds) != 1 { break }
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

/// Restores the terminal after a program error, which must not leave it in the view's mode. The
/// signal then has its original effect (Swift prints the location).
enum TerminalTraps {
  private static let numbers = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  private static let numberMax = 32
  /// The original handler of each signal, by its number. Safe on any thread: written by `install`,
  /// each before the handler that reads it is installed.
  nonisolated(unsafe) private static let before: UnsafeMutablePointer<sigaction> = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: numberMax)
    actions.initialize(repeating: sigaction(), count: numberMax)
    return actions
  }()

  static func install() { _ = isInstalled }

  private static let isInstalled: Bool = {
    for number in numbers {
      sigaction(number, nil, before + Int(number))
      signal(number) { number in
        TerminalScreen.restoreInHandler()
        sigaction(number, TerminalTraps.before + Int(number), nil)
        // A trap occurs again when this returns; a signal that was sent has to be sent again.
        raise(number)
      }
    }
    return true
  }()
}
