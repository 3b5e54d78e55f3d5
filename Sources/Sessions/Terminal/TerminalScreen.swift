import Pictures
import Platform
import SystemPackage
import Turret

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

  /// Restores the terminal.
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
  mutating func timeWentBack() { limiter = RedrawLimiter() }

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
