import Files
import NIOCore
import NIOPosix
import SystemPackage

/// Waits on a thread of its own until one of some descriptors is readable. One wait at a time:
/// after it has reported, it waits for nothing until it is told to.
final class ReadinessWatch {
  private let threads = NIOThreadPool(numberOfThreads: 1)
  private let wait: @Sendable ([CInt]) -> [CInt]
  /// Ends a wait when it is written to.
  private let pipe: (readEnd: SystemPackage.FileDescriptor, writeEnd: SystemPackage.FileDescriptor)
  private var descriptors: [CInt] = []
  /// Whether a wait is under way; who is told of its end sets it to false.
  var isWatching = false

  init(wait: @escaping @Sendable ([CInt]) -> [CInt]) throws(GatewayError) {
    self.wait = wait
    do {
      pipe = try SystemPackage.FileDescriptor.closeOnExecPipe()
    } catch {
      throw GatewayError(.unavailable, "error: no pipe to wake a thread with: \(error)")
    }
    threads.start()
  }

  /// Waits for these, in the place of those before. `report` comes once for each wait, from its
  /// thread, with those that are readable; none where the wait was given up.
  func watch(_ descriptors: [CInt], report: @escaping @Sendable ([CInt]) -> Void) {
    if isWatching {
      guard descriptors != self.descriptors else { return }
      // The report makes for a turn, and that for a wait for these.
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

  /// No more is waited for. Done when nothing more is reported.
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
