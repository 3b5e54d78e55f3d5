import NIOCore
import NIOPosix
import Platform
import SystemPackage

/// Waits on a separate thread until one of several descriptors is readable. It performs one wait at
/// a time: after a report it is idle until `watch` is called again.
final class ReadinessWatch {
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let wait: @Sendable ([CInt]) -> [CInt]
  /// Writing to this end interrupts a wait.
  private let pipe: (readEnd: SystemPackage.FileDescriptor, writeEnd: SystemPackage.FileDescriptor)
  private var descriptors: [CInt] = []
  /// Whether a wait is in progress. The receiver of its report sets it to false.
  var isWatching = false

  init(wait: @escaping @Sendable ([CInt]) -> [CInt]) throws(NetworkError) {
    self.wait = wait
    do {
      pipe = try SystemPackage.FileDescriptor.closeOnExecPipe()
    } catch {
      throw NetworkError(.unavailable, "error: no pipe to wake a thread with: \(error)")
    }
    threads.start()
  }

  /// Whether it waits for these descriptors.
  func waits(for descriptors: [CInt]) -> Bool {
    isWatching && descriptors == self.descriptors
  }

  /// Waits for these descriptors instead of the previous ones. `report` is called once per wait, on
  /// the other thread, with the readable descriptors; with none if the wait was interrupted.
  func watch(_ descriptors: [CInt], report: @escaping @Sendable ([CInt]) -> Void) {
    if isWatching {
      guard descriptors != self.descriptors else { return }
      // The report causes a turn, which then waits for these descriptors.
      self.descriptors = descriptors
      interrupt()
      return
    }
    isWatching = true
    self.descriptors = descriptors
    let wait = wait
    let wakeEnd = pipe.readEnd
    threads.submit { state in
      guard case .active = state else { return }
      var ready = wait(descriptors + [wakeEnd.rawValue])
      if let index = ready.firstIndex(of: wakeEnd.rawValue) {
        ready.remove(at: index)
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = try? bytes.withUnsafeMutableBytes { try wakeEnd.read(into: $0) }
      }
      report(ready)
    }
  }

  /// Ends all waiting. Completes when nothing more will be reported.
  func end(on loop: any EventLoop) -> EventLoopFuture<Void> {
    if isWatching { interrupt() }
    let pipe = pipe
    let done = loop.makePromise(of: Void.self)
    threads.shutdownGracefully { _ in
      try? pipe.readEnd.close()
      try? pipe.writeEnd.close()
      done.succeed()
    }
    return done.futureResult
  }

  private func interrupt() { _ = try? pipe.writeEnd.writeAll([0]) }
}
