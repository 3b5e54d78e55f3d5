import Engine
import Platform
import Synchronization
import SystemPackage

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

  /// Whether the end has been requested.
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
