import Pictures
import Platform
import SystemPackage

/// A terminal whose writes never block.
///
/// Whether a write blocks is a property of the open file, which is shared with the shell; so the
/// terminal is opened again. If that fails, writes may block.
struct TerminalDescriptor: ~Copyable {
  /// Larger than any real terminal, although a pseudo-terminal may report more.
  private static let columnsMax = 1_000
  private static let rowsMax = 500

  let descriptor: FileDescriptor
  private let isOwn: Bool

  /// Nil if it is not a terminal.
  init?(reopening original: FileDescriptor) {
    guard isatty(original.rawValue) == 1 else { return nil }
    let reopened = Self.reopen(original, O_WRONLY)
    isOwn = reopened != nil
    descriptor = reopened ?? original
  }

  /// Opens a terminal again, without blocking. Nil if that fails, or if it is not a terminal.
  static func reopen(_ original: FileDescriptor, _ mode: CInt) -> FileDescriptor? {
    var name = [CChar](repeating: 0, count: 256)
    guard isatty(original.rawValue) == 1,
      ttyname_r(original.rawValue, &name, name.count) == 0
    else { return nil }
    let number = open(name, mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    return number >= 0 ? FileDescriptor(rawValue: number) : nil
  }

  deinit {
    if isOwn { try? descriptor.close() }
  }

  /// The terminal's size, or the usual one if it does not report one.
  var size: ScreenSize {
    var size = winsize()
    let answer = ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size)
    guard answer == 0, size.ws_col > 0, size.ws_row > 0 else {
      return ScreenSize(columns: 80, rows: 24)
    }
    return ScreenSize(
      columns: min(Int(size.ws_col), Self.columnsMax), rows: min(Int(size.ws_row), Self.rowsMax))
  }

  /// Whether the process can use it now. A terminal other than its controlling one can always be
  /// used.
  var isInForeground: Bool {
    let group = tcgetpgrp(descriptor.rawValue)
    return group < 0 || group == getpgrp()
  }

  /// Writes as many bytes as the terminal takes now. Returns their number.
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
