import Dispatch
import Testing

/// Runs each test on a thread of its own: one that has to answer a ping in time cannot wait until
/// the tests that only compute leave it one of the shared threads, of which there is one a
/// processor.
struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(Executor()) { try await function() }
  }

  private final class Executor: TaskExecutor {
    private let queue = DispatchQueue(label: "a test")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = asUnownedTaskExecutor()
      queue.async { job.runSynchronously(on: executor) }
    }
  }
}

extension Trait where Self == OwnThread {
  static var ownThread: Self { Self() }
}
