package import Devices
package import Engine
package import Judging
package import Network
import Platform
package import Serial
import SystemPackage
package import Traces

/// Ends the command: an exit status for scripts and a sentence for the user.
package struct Failure: Error {
  package var status: ExitStatus
  /// One line, or one for each of the mistakes; empty if there is nothing to report.
  package var message: String
  /// The mistakes in a scenario file, in its order; empty for any other failure.
  package private(set) var mistakes: [NotationError] = []
  /// How to use the command, as lines of text; empty unless the usage was wrong.
  package var usage = ""
  /// Whether the usage was wrong, and the message is a sentence to which how to use the command is
  /// still to be added.
  package private(set) var isMisuse = false

  package init(_ status: ExitStatus, _ message: String = "") {
    self.status = status
    self.message = message
  }

  /// A mistake in the combination of options, or in what they are applied to, as a sentence. The
  /// command's usage is reported with it.
  package static func misuse(_ sentence: String) -> Failure {
    var failure = Failure(.usage, sentence)
    failure.isMisuse = true
    return failure
  }

  /// The mistakes in the scenario file at `path`.
  init(_ error: NotationError, in path: String) {
    self.init(.malformed, error.text(in: path))
    mistakes = error.all
  }

  package init(_ error: TraceError) {
    switch error.code {
    case .malformed: self.init(.malformed, error.description)
    case .noInput: self.init(.noInput, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    case .tooLong, .usage: self.init(.usage, error.description)
    }
  }

  package init(_ error: SerialError) {
    switch error.code {
    case .unavailable, .gone: self.init(.unavailable, error.description)
    case .inputOutput: self.init(.inputOutput, error.description)
    }
  }

  package init(_ error: NetworkError) {
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

  /// Converts any error of a session.
  init(any error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as TraceError: self.init(error)
    case let error as DeviceError: self.init(error)
    default: self.init(.unavailable, "error: \(error)")
    }
  }

  /// Converts a trace's error to the command's failure.
  package static func ofTrace<Result: ~Copyable>(
    _ work: () throws(TraceError) -> Result
  ) throws(Failure) -> Result {
    do throws(TraceError) {
      return try work()
    } catch {
      throw Failure(error)
    }
  }

  /// Converts a port's error to the command's failure.
  package static func ofPort<Result: ~Copyable>(
    _ work: () throws(SerialError) -> Result
  ) throws(Failure) -> Result {
    do throws(SerialError) {
      return try work()
    } catch {
      throw Failure(error)
    }
  }

  package init(_ error: DeviceError) {
    self.init(ExitStatus(error), error.description)
  }

  /// The device failed while a trace was being verified on it.
  package init(_ error: DeviceError, on trace: String) {
    self.init(error)
    message = "\(trace): not verified: \(message)"
  }

  /// A write to `path` failed.
  package init(writing path: String, _ error: any Error) {
    let errno = Errno.of(error)
    if errno == .brokenPipe {
      self.init(.closedPipe)
    } else {
      self.init(.inputOutput, "\(path): error: cannot be written: \(errno)")
    }
  }
}
