package import Platform
package import SystemPackage

/// Detects when programs open and close the sender's end of a pty.
///
/// The kernel merges identical events that have not been read, so if several senders open it at
/// once the count can be too low. `reset()` corrects it whenever the pty is known to be hung up.
package struct ClientWatch: ~Copyable, Sendable {
  /// How many times it is currently open.
  package private(set) var count = 0
  private let system: any SystemCalls
  private let source: Descriptor

  /// Watches the pty at `path`, which must not be a link.
  package init(path: String, on system: any SystemCalls) throws(SerialError) {
    self.system = system
    do throws(Errno) {
      source = Descriptor(try system.watch(path), of: system)
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be watched")
    }
  }

  /// Becomes readable when a program opens or closes the pty.
  package var descriptor: FileDescriptor { source.value }

  /// What the bench itself has just done to the pty.
  package enum Own {
    case opening, closing
  }

  /// Returns how many times, since the last call, a sender opened the pty while no other had it
  /// open. The bench's own action since then is not counted.
  package mutating func look(withOwn own: Own? = nil) -> Int {
    var openings = system.takeOpenings(source.value.rawValue)
    if let own, let index = openings.lastIndex(of: own == .opening) { openings.remove(at: index) }
    var firsts = 0
    for isOpening in openings {
      if isOpening {
        if count == 0 { firsts += 1 }
        count += 1
      } else if count > 0 {
        count -= 1
      }
    }
    return firsts
  }

  /// Resets the count: the pty is hung up, so no program has it open.
  package mutating func reset() { count = 0 }
}
