import ArgumentParser
import Devices
import Gateway
import Logging
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
  /// One line; empty where there is nothing to say.
  var message: String
  /// How the command is used, lines for people; empty unless the usage was wrong.
  private var usage = ""

  init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }

  init(_ error: TraceError) {
    switch error.code {
    case .malformed: self.init(.malformed, error.description)
    case .noInput: self.init(.noInput, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    case .tooLong: self.init(.usage, error.description)
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

  /// What the parser of the command line says.
  init(parsing error: any Error) {
    status = ExitStatus(rawValue: SentryBench.exitCode(for: error).rawValue)
    message = SentryBench.message(for: error)
    // Only the message can contain what was typed; the lines after it are the program's own.
    let beginning = "Error: \(message)"
    let all = SentryBench.fullMessage(for: error)
    if all.hasPrefix(beginning) {
      usage = String(all.dropFirst(beginning.count))
      if !Console.isJSON { message = beginning }
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
        if !failure.message.isEmpty { failure.report() }
      }
    }
    Console.drain()
    Signals.removeTemporaries()
    TerminalScreen.restoreInHandler()
    endProcess(worst.status.rawValue)
  }
}

extension Failure {
  private func report() {
    guard !usage.isEmpty, !Console.isJSON else { return Console.report(message, .error) }
    Console.report(text: PlainText.line(message) + usage, .error)
  }
}

private func endProcess(_ status: Int32) -> Never { exit(status) }
