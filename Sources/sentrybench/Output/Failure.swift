import SystemPackage
import Traces

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Ends the command: a status for scripts, and a sentence for people.
struct Failure: Error {
  var status: ExitStatus
  /// Empty where there is nothing to say.
  var message: String

  init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }

  init(_ error: TraceError) {
    switch error.code {
    case .malformed: self.init(.malformed, error.description)
    case .noInput: self.init(.noInput, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    }
  }

  /// Something could not be written.
  init(writing path: String, _ error: any Error) {
    let errno = error as? Errno ?? .ioError
    if errno == .brokenPipe {
      self.init(.closedPipe)
    } else {
      self.init(.inputOutput, "\(path): error: cannot be written: \(errno)")
    }
  }

  func exit() -> Never {
    if !message.isEmpty { Console.report(message) }
    if status != .closedPipe, status != .inputOutput { try? Console.flush() }
    Signals.removeTemporaries()
    endProcess(status.rawValue)
  }
}

private func endProcess(_ status: Int32) -> Never { exit(status) }
