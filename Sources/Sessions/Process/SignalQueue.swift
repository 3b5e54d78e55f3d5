import Files
import Platform
import SystemPackage

/// Signals as something that can be waited for: each is a byte in a pipe.
///
/// A second request to end, while the first is being seen to, ends the process at once.
enum SignalQueue {
  /// What the handlers need; set once, before any of them is in place.
  nonisolated(unsafe) private static var writeEnd: CInt = -1
  nonisolated(unsafe) private static var requests: CInt = 0

  /// Requests to end: the terminal's Ctrl-C and Ctrl-\\, a polite kill, the terminal going away.
  static let ending = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]

  /// Whether somebody has asked for the end.
  static var isEnding: Bool { requests > 0 }

  /// From here on these signals, and those that ask to end, are queued. Returns the descriptor that
  /// becomes readable.
  static func open(_ others: [CInt]) throws(Failure) -> FileDescriptor {
    do {
      let pipe = try FileDescriptor.closeOnExecPipe()
      for end in [pipe.readEnd, pipe.writeEnd] {
        _ = fcntl(end.rawValue, F_SETFL, O_NONBLOCK)
      }
      writeEnd = pipe.writeEnd.rawValue
      for number in ending where number != SIGHUP || !isIgnored(SIGHUP) {
        signal(number) { number in
          SignalQueue.requests += 1
          if SignalQueue.requests > 1 { Signals.end(by: number) }
          SignalQueue.put(number)
        }
      }
      for number in others { signal(number) { SignalQueue.put($0) } }
      // Whoever started us may have left them blocked: a command's end would not be noticed.
      var queued = sigset_t()
      sigemptyset(&queued)
      for number in ending + others { sigaddset(&queued, number) }
      sigprocmask(SIG_UNBLOCK, &queued, nil)
      return pipe.readEnd
    } catch {
      throw Failure(.unavailable, "error: no pipe for signals: \(error)")
    }
  }

  /// As `nohup` has it.
  private static func isIgnored(_ number: CInt) -> Bool {
    let before = signal(number, SIG_IGN)
    guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
      return true
    }
    signal(number, before)
    return false
  }

  /// The signals that have come, in order.
  static func take(from descriptor: FileDescriptor) -> [CInt] {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = (try? bytes.withUnsafeMutableBytes { try descriptor.read(into: $0) }) ?? 0
    return bytes[..<count].map(CInt.init)
  }

  /// Safe in a signal handler. A full pipe has enough to tell already.
  private static func put(_ number: CInt) {
    let cause = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(writeEnd, &byte, 1)
    errno = cause
  }
}
