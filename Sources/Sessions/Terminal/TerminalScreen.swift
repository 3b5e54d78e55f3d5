import Pictures
import Platform
import SystemPackage
import Turret

/// The view of a live session on the terminal, on the terminal's other screen, so that what was
/// there comes back.
///
/// For a loop of one thread that polls. Nothing here waits:
///
///     woken:     nextFrame, anything changed, or a while after `wantsToWrite` -> draw()
///     signals:   SIGWINCH -> resized()            SIGTSTP -> suspend()
///     the end:   leave(); in a handler or a trap -> TerminalScreen.restoreInHandler()
///
/// A terminal that goes away is no error of the session: `isGone`, and nothing more is drawn.
package struct TerminalScreen: ~Copyable {
  private static let greeting = Array("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l".utf8)

  private let output: TerminalDescriptor
  private let input: FileDescriptor
  private var keys: TerminalKeys
  private var screen: LiveScreen
  private var limiter = FrameLimiter()
  private var isEntered = false
  /// What the terminal shows; nil where that is not known.
  private var shown: [String]?
  private var shownLook: LiveStatus?
  /// Whether that goes on changing by itself.
  private var isSettling = false
  /// What the terminal has not taken yet.
  private var unwritten: ArraySlice<UInt8> = []
  /// The terminal took no more: it was closed, or the connection to it broke.
  private(set) var isGone = false

  /// Nil where the output is no terminal. `environment` tells what characters and colours it can
  /// show.
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

  /// The terminal's descriptor.
  private var descriptor: CInt { output.descriptor.rawValue }

  /// Whether part of a frame waits for the terminal.
  var wantsToWrite: Bool { !unwritten.isEmpty }

  /// Readable when a key was pressed; nil where keys are not for the view.
  var keyDescriptor: FileDescriptor? { isEntered && !isGone ? keys.ours : nil }

  /// The keys that were pressed since the last time.
  mutating func takeKeys() -> [UInt8] { isEntered && !isGone ? keys.take() : [] }

  /// When `draw` is to be called again though nothing else happens: a frame was put off, or the
  /// shaft moves. Nil: not before something changes.
  var nextFrame: Instant? { !isEntered || isGone || wantsToWrite ? nil : limiter.next }

  // MARK: -

  /// Takes the terminal over. In the background it is left alone until the process comes to the
  /// front.
  mutating func enter() {
    guard !isEntered, !isGone, output.isInForeground else { return }
    TerminalRestoration.prepare()
    var mode = termios()
    let hasKeys = tcgetattr(input.rawValue, &mode) == 0
    TerminalRestoration(
      output: descriptor, input: hasKeys ? input.rawValue : -1, mode: mode
    ).register()
    if hasKeys {
      // Ctrl-C and Ctrl-Z stay signals. Ctrl-S would hold the display up for good.
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

  /// Gives the terminal back as it was.
  mutating func leave() {
    guard isEntered else { return }
    isEntered = false
    unwritten = []
    limiter.cancel()
    TerminalRestoration.carryOut()
  }

  /// Stops the process as Ctrl-Z does; returns when it goes on, with everything to be drawn anew.
  mutating func suspend() {
    leave()
    Self.stop()
    enter()
    resized()
  }

  /// The terminal may have another size.
  mutating func resized() {
    screen.size = output.size
    repaint()
  }

  /// Time went back: nothing that was shown is later than what is shown now.
  mutating func timeWentBack() { limiter = FrameLimiter() }

  /// Draws the status, if it looks other than what is shown and a frame is due; else see
  /// `nextFrame`.
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
    unwritten = FrameDifference.bytes(from: shown, to: lines)[...]
    shown = lines
    shownLook = look
    isSettling = status.changesByItself
    if isSettling { limiter.wantAnother() }
    flush()
  }

  /// Writes what the terminal takes now.
  mutating func flush() {
    guard wantsToWrite, !isGone else { return }
    do {
      unwritten.removeFirst(try output.write(unwritten))
    } catch {
      isGone = true
      unwritten = []
    }
  }

  /// Restores the terminal; safe in a signal handler, and without a screen does nothing.
  package static func restoreInHandler() { TerminalRestoration.carryOut() }

  /// To be called before handlers that restore are installed.
  static func prepareForHandlers() { TerminalRestoration.prepare() }

  // MARK: -

  /// Stops for SIGTSTP and not for SIGSTOP, which would stop a process too that no shell is there
  /// to continue, such as the first one of a container.
  private static func stop() {
    var handling = sigaction()
    sigaction(SIGTSTP, nil, &handling)
    signal(SIGTSTP, SIG_DFL)
    var stopping = sigset_t()
    var before = sigset_t()
    sigemptyset(&stopping)
    sigaddset(&stopping, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stopping, &before)
    // To this thread, so that it has happened when the handler is put back.
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    sigaction(SIGTSTP, &handling, nil)
  }

  private mutating func repaint() {
    shown = nil
    shownLook = nil
    limiter.wantAnother()
  }

  /// The first of these that is set says what the characters are; a Linux console's font has no
  /// Braille.
  private static func glyphs(_ environment: (String) -> String?) -> GlyphSet {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
    let name = (locale ?? "").lowercased()
    let isUTF8 = name.hasSuffix("utf-8") || name.hasSuffix("utf8")
    return isUTF8 && environment("TERM") != "linux" ? .unicode : .ascii
  }
}
