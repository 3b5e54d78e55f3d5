import Platform

/// A program error must not leave the terminal as the view had it: it is restored first, then the
/// signal does what it did before (Swift prints where it happened).
enum TerminalTraps {
  private static let numbers = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]
  private static let numberMax = 32
  /// What each signal did before, by its number.
  nonisolated(unsafe) private static let before: UnsafeMutablePointer<sigaction> = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: numberMax)
    actions.initialize(repeating: sigaction(), count: numberMax)
    return actions
  }()
  nonisolated(unsafe) private static var isInstalled = false

  static func install() {
    guard !isInstalled else { return }
    isInstalled = true
    for number in numbers {
      sigaction(number, nil, before + Int(number))
      signal(number) { number in
        TerminalScreen.restoreInHandler()
        sigaction(number, TerminalTraps.before + Int(number), nil)
        // What trapped does so again when this returns; what was sent has to be sent again.
        raise(number)
      }
    }
  }
}
