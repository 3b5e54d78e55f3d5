import Platform
import SystemPackage

/// The keys of a terminal, whose reads never block.
///
/// Whether a read blocks is a property of the open file, which is shared with the shell; so the
/// terminal is opened again.
struct TerminalKeys: ~Copyable {
  /// More than a person types between two reads.
  private static let countMax = 256

  /// Nil if it is not a terminal or could not be opened again.
  let descriptor: FileDescriptor?
  /// Whether the terminal was closed, so that no more keys follow.
  private(set) var isGone = false

  init(reopening original: FileDescriptor) {
    var name = [CChar](repeating: 0, count: 256)
    let isNamed =
      isatty(original.rawValue) == 1 && ttyname_r(original.rawValue, &name, name.count) == 0
    let reopened = isNamed ? open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1
    descriptor = reopened >= 0 ? FileDescriptor(rawValue: reopened) : nil
  }

  deinit { try? descriptor?.close() }

  /// The descriptor while keys are for this process. In the background they are the shell's, and a
  /// process that reads them is stopped.
  var ours: FileDescriptor? {
    guard let descriptor, !isGone, tcgetpgrp(descriptor.rawValue) == getpgrp() else { return nil }
    return descriptor
  }

  /// Returns the keys pressed since the last call.
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
