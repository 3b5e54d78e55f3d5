package import SystemPackage

/// What can go wrong with a port: a code, the cause, and a sentence a person can act on.
package struct SerialError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// There is no such port, it is somebody else's, or it cannot be had.
    case unavailable
    /// It was there and is gone: unplugged, or its other end ended.
    case gone
    /// Reading, writing or setting it up failed.
    case inputOutput
  }

  package var code: Code
  package var path: String
  /// What the system said; nil where it was not the system.
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
