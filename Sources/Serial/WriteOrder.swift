import Platform
import SystemPackage

/// Whether a sender first wrote to a pty or first changed its settings, since nothing was unread.
///
/// A pty reports changed settings ahead of all unread bytes, and its speed is known only as it is
/// now. `tcdrain`, which on a port waits for the bytes before a change, returns at once.
struct WriteOrder: ~Copyable, Sendable {
  /// Whether the sender has written.
  private(set) var hasWritten = false
  /// Whether its first change came after a write; nil if it made none, or if that is unknown.
  private(set) var changedAfterWrite: Bool?
  private let system: any SystemCalls
  private let order: Descriptor
  private let writes: Descriptor

  /// Watches the pty at `path`, which must not be a link. `master` is its other end.
  init(path: String, _ master: FileDescriptor, on system: any SystemCalls) throws(SerialError) {
    self.system = system
    do throws(Errno) {
      let made = try system.watchOrder(of: path, master.rawValue)
      order = Descriptor(made.order, of: system)
      writes = Descriptor(made.writes, of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be watched")
    }
  }

  /// Becomes readable when a sender has written. Its bytes can have been read before.
  var descriptor: FileDescriptor { writes.value }

  /// Takes what has happened since the last call.
  mutating func look() {
    for action in system.takeOrder(order.value.rawValue, writes: writes.value.rawValue) {
      switch action {
      case .write: hasWritten = true
      case .change: changedAfterWrite = changedAfterWrite ?? hasWritten
      }
    }
  }

  /// Begins again: nothing is unread.
  mutating func reset() { (hasWritten, changedAfterWrite) = (false, nil) }
}
