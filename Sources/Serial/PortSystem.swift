import Platform
import SystemPackage

/// The system calls that serial ports need in addition to libserialport and `SystemCalls`.
enum PortSystem {
  static var errno: Errno { Errno(rawValue: lastError()) }

  /// Resolves symbolic links. Returns nil, with the cause in `errno`, if nothing is there.
  static func resolve(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  static func isCharacterDevice(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR
  }

  /// Acquires exclusive use of the port. Returns false if another program has it. The lock is for
  /// programs that the TIOCEXCL flag does not keep out: root's, and those that opened the port
  /// before.
  static func takeAlone(_ descriptor: CInt) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
    #if os(Linux)
      return ioctl(descriptor, UInt(TIOCEXCL)) == 0
    #else
      return true
    #endif
  }

  /// Settings for 8N1 without any processing of the bytes, at the current speed. Flow control is
  /// disabled, whatever a previous program has set: an Uno does not support it, and writes would
  /// block forever.
  static func raw(_ settings: termios) -> termios {
    var settings = settings
    cfmakeraw(&settings)
    settings.c_iflag &= ~flowControl.software
    settings.c_cflag &= ~(tcflag_t(CSTOPB | PARODD) | flowControl.hardware)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    return settings
  }

  static let flowControl = (software: tcflag_t(IXON | IXOFF | IXANY), hardware: tcflag_t(CRTSCTS))

  /// The number of written bytes that the system has not passed on, not including those in the
  /// UART; nil if unknown.
  static func outputCount(_ descriptor: CInt) -> Int? {
    var count: CInt = 0
    return ioctl(descriptor, countOutput, &count) == 0 ? Int(count) : nil
  }

  #if os(Linux)
    private static let countOutput = UInt(TIOCOUTQ)
  #else
    /// TIOCOUTQ, `_IOR('t', 115, int)`: a macro that Swift does not import.
    private static let countOutput: UInt = 0x4004_7473
  #endif

  static func discardInput(_ descriptor: CInt) { tcflush(descriptor, TCIFLUSH) }
}

// Inside the enum, its own property hides the system's of the same name.
private func lastError() -> CInt { errno }
