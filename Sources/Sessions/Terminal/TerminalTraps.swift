import Platform

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

  /// Has an effect once.
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
