import Synchronization

/// Lines that one thread writes and another reads.
final class Told: Sendable {
  private let box = Mutex([String]())

  var lines: [String] { box.withLock { $0 } }

  func add(_ line: String) { box.withLock { $0.append(line) } }
}
