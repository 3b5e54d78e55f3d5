package import SystemPackage

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
    default:
      self.init(.inputOutput, path: path, cause: cause, "cannot be opened")
    }
  }

  /// The system's error when an open port was used. `deed` is a past participle: read, written.
  init(using path: String, _ cause: Errno, _ deed: String) {
    switch cause {
    case .ioError, .noSuchAddressOrDevice, .operationNotSupportedByDevice, .brokenPipe,
      .badFileDescriptor:
      self.init(gone: path, cause: cause)
    default:
      self.init(.inputOutput, path: path, cause: cause, "cannot be \(deed)")
    }
  }

  /// The board was unplugged, or the other end of a pty was closed.
  init(gone path: String, cause: Errno? = nil) {
    self.init(.gone, path: path, cause: cause, "is gone: unplugged, or its other end was closed")
  }
}
