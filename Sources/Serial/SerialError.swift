package import SystemPackage

/// An error of a port: a code, the cause, and a sentence that helps the user to correct it.
package struct SerialError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// There is no such port, another program has it, or it cannot be opened.
    case unavailable
    /// The port has disappeared: it was unplugged, or its other end was closed.
    case gone
    /// Reading, writing or setting it up failed.
    case inputOutput
  }

  package var code: Code
  package var path: String
  /// The system's error; nil if the system did not cause it.
  package var cause: Errno?
  package var message: String

  package init(_ code: Code, path: String, cause: Errno? = nil, _ message: String) {
    self.code = code
    self.path = path
    self.cause = cause
    self.message = message
  }

  package var description: String { "\(path): error: \(message)" + (cause.map { ": \($0)" } ?? "") }
}

extension SerialError {
  /// The system's error when the port was opened.
  package init(opening path: String, _ cause: Errno) {
    switch cause {
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
      self.init(
        .unavailable, path: path, cause: cause,
        "there is no such port; \"sentrybench ports\" lists the available ports")
    case .noSuchAddressOrDevice, .operationNotSupportedByDevice:
      self.init(.unavailable, path: path, cause: cause, "nothing is plugged in there")
    case .permissionDenied, .notPermitted:
      self.init(
        .unavailable, path: path, cause: cause,
        "cannot be opened: no permission; on Linux add yourself to the port's group "
          + "(sudo adduser $USER dialout) and log in again")
    case .resourceBusy, .wouldBlock:
      self.init(
        .unavailable, path: path, cause: cause,
        "is in use by another program, such as a serial monitor; close that first")
    default: self.init(.inputOutput, path: path, cause: cause, "cannot be opened")
    }
  }

  /// The system's error when an open port was used. `deed` is a past participle: read, written.
  init(using path: String, _ cause: Errno, _ deed: String) {
    switch cause {
    case .ioError, .noSuchAddressOrDevice, .operationNotSupportedByDevice, .brokenPipe,
      .badFileDescriptor:
      self.init(gone: path, cause: cause)
    default: self.init(.inputOutput, path: path, cause: cause, "cannot be \(deed)")
    }
  }

  /// The board was unplugged, or the other end of a pty was closed.
  init(gone path: String, cause: Errno? = nil) {
    self.init(.gone, path: path, cause: cause, "is gone: unplugged, or its other end was closed")
  }
}
