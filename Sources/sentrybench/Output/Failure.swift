import Bench
import Gateway
import Serial
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

  init(_ error: SerialError) {
    switch error.code {
    case .unavailable, .gone: self.init(.unavailable, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    }
  }

  init(_ error: GatewayError) {
    let status: ExitStatus =
      switch error.code {
      case .usage: .usage
      case .malformed: .malformed
      case .noInput: .noInput
      case .unavailable: .unavailable
      case .inputOutput: .inputOutput
      }
    self.init(status, error.description)
  }

  /// What a port has to say, as the command's failure.
  static func from<Result: ~Copyable>(
    _ work: () throws(SerialError) -> Result
  ) throws(Failure) -> Result {
    do throws(SerialError) {
      return try work()
    } catch {
      throw Failure(error)
    }
  }

  init(_ error: DeviceError) {
    switch error.code {
    case .unavailable, .gone: self.init(.unavailable, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    case .crashed: self.init(.malformed, error.description)
    }
  }

  /// The device failed while a trace was verified on it.
  init(_ error: DeviceError, on trace: String) {
    self.init(error)
    message = "\(trace): not verified: \(message)"
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
    var worst = self
    // What was printed before the failure still has to go out, and may find that it cannot.
    if status != .closedPipe, status != .inputOutput {
      do {
        try Console.flush()
      } catch {
        worst = error
      }
    }
    if worst.status != .closedPipe {
      for failure in worst.message == message ? [self] : [self, worst] {
        if !failure.message.isEmpty { Console.report(failure.message) }
      }
    }
    Signals.removeTemporaries()
    TerminalScreen.restoreInHandler()
    endProcess(worst.status.rawValue)
  }
}

private func endProcess(_ status: Int32) -> Never { exit(status) }
