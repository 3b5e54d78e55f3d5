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

  package var description: String {
    "\(path): error: \(message)" + (cause.map { ": \($0)" } ?? "")
  }
}
