/// A thread for work on several processors.
///
/// Dispatch's threads open files in `/proc` and end the process if they cannot; this one opens
/// nothing.
package enum WorkerThread {
  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `work` on a new thread, which gets no signals. Returns false if the system has none.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let passed = Unmanaged.passRetained(Work(work))
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    for own in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] { sigdelset(&all, own) }
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let result = pthread_create(
      &thread, nil,
      { argument in
        let passed: UnsafeMutableRawPointer? = argument
        if let passed { Unmanaged<Work>.fromOpaque(passed).takeRetainedValue().run() }
        return nil
      }, passed.toOpaque())
    guard result == 0 else {
      passed.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }
}
