import Platform
import SystemPackage

/// The keys of a terminal, read without ever waiting for one.
///
/// Whether a read waits belongs to the open file, which is shared with the shell; so the terminal
/// is opened once more.
struct TerminalKeys: ~Copyable {
  /// More than a person types between two looks.
  private static let countMax = 256

  /// Nil where it is no terminal, or could not be opened again.
  let descriptor: FileDescriptor?
  /// The terminal was closed: there will be no more keys.
  private(set) var isGone = false

  init(reopening original: FileDescriptor) {
    var name = [CChar](repeating: 0, count: 256)
    let isNamed =
      isatty(original.rawValue) == 1 && ttyname_r(original.rawValue, &name, name.count) == 0
    let reopened = isNamed ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = reopened >= 0 ? FileDescriptor(rawValue: reopened) : nil
  }

  deinit { try? descriptor?.close() }

  /// The descriptor while keys are for this process: in the background they are the shell's, and
  /// whoever reads them there is stopped for it.
  var ours: FileDescriptor? {
    guard let descriptor, !isGone, tcgetpgrp(descriptor.rawValue) == getpgrp() else { return nil }
    return descriptor
  }

  /// The keys that were pressed since the last time.
  mutating func take() -> [UInt8] {
    guard let descriptor = ours else { return [] }
    var bytes = [UInt8](repeating: 0, count: Self.countMax)
    do {
      let count = try bytes.withUnsafeMutableBytes {
        try descriptor.read(into: $0, retryOnInterrupt: true)
      }
      isGone = count == 0
      return Array(bytes.prefix(count))
    } catch Errno.wouldBlock {
      return []
    } catch {
      isGone = true
      return []
    }
  }
}
