import Dispatch
import Platform
import Synchronization

/// Does work on several processors. Results are in the order of the items.
package enum Workers {
  package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Does `work` on each item, at most `jobs` at a time. Passes each result on, on the calling
  /// thread and in order, as soon as the results before it are done.
  package static func run<Item: Sendable, Result: Sendable, Refusal: Error>(
    _ items: [Item], jobs: Int, work: @escaping @Sendable (Item) -> Result,
    inOrder handle: (Result) throws(Refusal) -> Void
  ) throws(Refusal) {
    guard jobs > 1, items.count > 1 else {
      for item in items { try handle(work(item)) }
      return
    }
    let next = Atomic(0)
    let results = Mutex<[Int: Result]>([:])
    let ready = items.map { _ in DispatchSemaphore(value: 0) }
    let run = { @Sendable in
      while true {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard index < items.count else { return }
        let result = work(items[index])
        results.withLock { $0[index] = result }
        ready[index].signal()
      }
    }
    let started = (0..<min(jobs, items.count)).count { _ in WorkerThread.start(run) }
    if started == 0 { run() }
    for index in items.indices {
      ready[index].wait()
      if let result = results.withLock({ $0.removeValue(forKey: index) }) { try handle(result) }
    }
  }
}
