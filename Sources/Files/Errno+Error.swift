import SystemPackage

extension Errno {
  /// Returns the system's error that was thrown.
  static func of(_ error: any Error) -> Errno { error as? Errno ?? .ioError }
}
