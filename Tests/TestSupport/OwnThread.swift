import Dispatch
package import Testing

/// Runs each test on its own thread, a few at a time.
///
/// The library has one thread per processor. A test that waits on one for a program or a socket
/// keeps it from tests that compute, and a test that has to answer a ping in time cannot wait until
/// one is free.
package struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  private static let places = Places(6)

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.places.take()
    do {
      try await withTaskExecutorPreference(Executor()) { try await function() }
      await Self.places.leave()
    } catch {
      await Self.places.leave()
      throw error
    }
  }

  private final class Executor: TaskExecutor {
    private let queue = DispatchQueue(label: "a test")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      queue.async { job.runSynchronously(on: executor) }
    }
  }

  /// A limit on concurrent tests. The others wait in turn.
  private actor Places {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
      if free > 0 {
        free -= 1
      } else {
        await withCheckedContinuation { waiting.append($0) }
      }
    }

    func leave() {
      if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
  }
}

extension Trait where Self == OwnThread {
  package static var ownThread: Self { Self() }
}
