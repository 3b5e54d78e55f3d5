import Foundation
import Platform
import Synchronization

/// Reads a terminal's output on a thread of its own, because a real terminal does not wait until a
/// test has time to read.
final class RunViewReader: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let isOver = Atomic(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  init(_ descriptor: Int32) {
    Thread.detachNewThread { [self] in
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while !isOver.load(ordering: .acquiring) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, 20) > 0 else { continue }
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 {
          bytes.withLock { $0 += buffer[..<count] }
        } else if errno == EBADF {
          break
        }
      }
      hasEnded.signal()
    }
  }

  /// Returns the bytes since the last call.
  func take() -> [UInt8] {
    bytes.withLock { all in
      defer { all = [] }
      return all
    }
  }

  /// Ends the thread, after which the descriptor can be closed.
  func end() {
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
    hasEnded.wait()
  }
}
