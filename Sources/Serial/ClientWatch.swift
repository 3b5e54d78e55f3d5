package import SystemPackage

/// Notices who opens and closes a pty's sender end.
///
/// The kernel merges equal events that follow each other unread, so where several senders come at
/// once the count may be short; `nobody()` puts it right whenever the pty is known to be hung up.
package struct ClientWatch: ~Copyable, Sendable {
  /// How many have it open.
  package private(set) var count = 0
  private let source: Descriptor

  /// Watches the pty at `path`, which must not be a link.
  package init(path: String) throws(SerialError) {
    do throws(Errno) {
      source = Descriptor(try Self.openSource(path))
    } catch {
      throw SerialError(.unavailable, path: path, cause: error, "cannot be watched")
    }
  }

  /// Becomes readable when somebody has opened or closed.
  package var descriptor: FileDescriptor { source.value }

  /// What the bench itself has just done.
  package enum Own {
    case opening, closing
  }

  /// How many times since the last look the port was opened by a first sender. What the bench has
  /// done itself since then is not counted.
  package mutating func look(withOwn own: Own? = nil) -> Int {
    var openings = Self.readOpenings(source.value)
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

  /// The pty is hung up: nobody has it open.
  package mutating func nobody() { count = 0 }
}
