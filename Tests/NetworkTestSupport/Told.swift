import Synchronization

/// Lines that one thread writes and another reads.
package final class Told: Sendable {
  private let box = Mutex([String]())

  package init() {}

  package var lines: [String] { box.withLock { $0 } }

  package func add(_ line: String) { box.withLock { $0.append(line) } }
}
