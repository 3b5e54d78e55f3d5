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
    let board = Board<Result>(itemCount: items.count)
    let run = { @Sendable in
      while let index = board.nextIndex() { board.put(work(items[index]), at: index) }
    }
    let started = (0..<min(jobs, items.count)).count { _ in WorkerThread.start(run) }
    if started == 0 { run() }
    for index in items.indices { try handle(board.take(at: index)) }
  }

  /// The next item's index and the results, which the workers share.
  private final class Board<Result: Sendable>: Sendable {
    private let next = Atomic(0)
    private let itemCount: Int
    private let results: Mutex<[Int: Result]> = Mutex([:])
    private let ready: [DispatchSemaphore]

    init(itemCount: Int) {
      self.itemCount = itemCount
      ready = (0..<itemCount).map { _ in DispatchSemaphore(value: 0) }
    }

    func nextIndex() -> Int? {
      let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
      return index < itemCount ? index : nil
    }

    func put(_ result: Result, at index: Int) {
      results.withLock { $0[index] = result }
      ready[index].signal()
    }

    func take(at index: Int) -> Result {
      ready[index].wait()
      return results.withLock { $0.removeValue(forKey: index)! }
    }
  }
}
