package import NIOCore
import NIOPosix
import Platform
import SystemPackage

/// An event loop on the calling thread.
package enum CurrentThreadLoop {
  /// How many descriptors must be free: SwiftNIO's loop needs three, the bench's wake-up pipe two,
  /// and a connection one. SwiftNIO ends the process if it cannot open its own.
  private static let descriptorsMin = 8

  /// Runs a loop until it is shut down. `body` is called on it first.
  package static func run(_ body: @escaping (any EventLoop) -> Void) throws(NetworkError) {
    if let (opened, why) = SystemPackage.FileDescriptor.opening(descriptorsMin) {
      throw NetworkError(
        .unavailable,
        "error: the network requires \(descriptorsMin) file descriptors, and only \(opened) can be "
          + "opened (\(why)): raise the limit with `ulimit -n 1024`")
    }
    MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { body($0) }
  }
}

/// A thread for work that blocks, such as a whole session.
package enum BlockingThread {
  /// Runs `work` on a new thread. `done` is called on another one, after the thread has ended.
  package static func run(
    _ work: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void = {}
  ) {
    let threads = NIOThreadPool(numberOfThreads: 1)
    threads.start()
    threads.submit { _ in
      work()
      threads.shutdownGracefully { _ in done() }
    }
  }
}
