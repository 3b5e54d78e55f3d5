package import SystemPackage
package import Traces

extension TraceError {
  /// Creates the error for the system's error when a file was opened or read.
  package init(opening path: String, _ errno: Errno, wanting what: String = "a trace") {
    switch errno {
    case .isDirectory:
      self.init(.noInput, path: path, "expected \(what), found a folder")
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels:
      self.init(.noInput, path: path, "cannot be opened: \(errno)")
    default:
      self.init(.inputOutput, path: path, "cannot be read: \(errno)")
    }
  }
}
