import Pictures
import Platform
import SystemPackage

/// A terminal that is written to without ever waiting for it.
///
/// Whether a write waits belongs to the open file, which is shared with the shell; so the terminal
/// is opened once more. Where that cannot be, writes may wait.
struct TerminalDescriptor: ~Copyable {
  /// Nobody has a larger one; a pseudo-terminal may say it has.
  private static let columnsMax = 1_000
  private static let rowsMax = 500

  let descriptor: FileDescriptor
  private let isOwn: Bool

  /// Nil where it is no terminal.
  init?(reopening original: FileDescriptor) {
    guard isatty(original.rawValue) == 1 else { return nil }
    var name = [CChar](repeating: 0, count: 256)
    let isNamed = ttyname_r(original.rawValue, &name, name.count) == 0
    let reopened =
      isNamed ? open(name, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    isOwn = reopened >= 0
    descriptor = isOwn ? FileDescriptor(rawValue: reopened) : original
  }

  deinit {
    if isOwn { try? descriptor.close() }
  }

  /// How large it is; what most were, where it does not say.
  var size: ScreenSize {
    var size = winsize()
    let answer = ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size)
    guard answer == 0, size.ws_col > 0, size.ws_row > 0 else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(
      columns: min(Int(size.ws_col), Self.columnsMax), rows: min(Int(size.ws_row), Self.rowsMax))
  }

  /// Whether the process may use it now. One that is not its own can always be used.
  var isInForeground: Bool {
    let group = tcgetpgrp(descriptor.rawValue)
    return group < 0 || group == getpgrp()
  }

  /// Writes what it takes now: how many bytes.
  func write(_ bytes: ArraySlice<UInt8>) throws(Errno) -> Int {
    do {
      return try bytes.withUnsafeBytes { try descriptor.write($0, retryOnInterrupt: true) }
    } catch let error as Errno {
      if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return 0 }
      throw error
    } catch {
      throw .ioError
    }
  }
}
