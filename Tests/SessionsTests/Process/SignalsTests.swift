import Dispatch
import Synchronization
import Testing

@testable import Sessions

struct SignalsTests {
  @Test func `Files registered on several threads at once have a place each`() {
    let held = Mutex<Set<Int>>([])
    let taken = Atomic(0)
    let shared = Atomic(0)
    // Time, not a number of rounds, so that the threads run side by side.
    let end = ContinuousClock().now + .milliseconds(300)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      while ContinuousClock().now < end {
        guard let slot = Signals.register("/nowhere") else { continue }
        taken.add(1, ordering: .relaxed)
        if !held.withLock({ $0.insert(slot).inserted }) { shared.add(1, ordering: .relaxed) }
        held.withLock { _ = $0.remove(slot) }
        Signals.unregister(slot)
      }
    }
    #expect(taken.load(ordering: .relaxed) > 0)
    #expect(shared.load(ordering: .relaxed) == 0)
  }
}
