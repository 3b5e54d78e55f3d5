import NIOPosix

/// A thread for work that blocks, such as a whole session.
package enum BlockingThread {
  /// Runs `work` on a new thread. `done` is called on another one, after the thread has ended.
  package static func run(
    _ work: @escaping @Sendable () -> Void, done: @escaping @Sendable () -> Void
  ) {
    let threads = NIOThreadPool(numberOfThreads: 1)
    threads.start()
    threads.submit { _ in
      work()
      threads.shutdownGracefully { _ in done() }
    }
  }
}
